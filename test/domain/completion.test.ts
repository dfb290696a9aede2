import { expect, it } from 'vitest'
import { completionOf } from '#domain/completion.ts'

it.each([
  [0, 0, false, 'Pendente'],
  [3, 0, false, 'Pendente'],
  [3, 1, false, 'Em andamento'],
  [3, 3, true, 'Concluído'],
  [1, 1, true, 'Concluído'],
])(
  'completion of %i questionnaires, %i of them completed, is %s and %s',
  (total, completed, concluded, status) => {
    const questionnaires = Array.from({ length: total }, (_, index) => ({
      completed_at: index < completed ? '2026-01-31T12:00:00.123000Z' : null,
    }))
    expect(completionOf(questionnaires)).toEqual({
      is_concluded: concluded,
      questionnaire_status: status,
    })
  },
)
