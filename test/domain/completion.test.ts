import { expect, it } from 'vitest'
import { questionnaireStatus } from '../../src/domain/completion.ts'

it.each([
  [0, 0, false, 'Pendente'],
  [3, 0, false, 'Pendente'],
  [3, 1, false, 'Em andamento'],
  [3, 3, true, 'Concluído'],
  [1, 1, true, 'Concluído'],
])(
  'completion of %i questionnaires, %i of them completed, is %s and %s',
  (questionnaires, completed, concluded, status) => {
    expect(questionnaireStatus({ questionnaires, completed })).toEqual({
      is_concluded: concluded,
      questionnaire_status: status,
    })
  },
)
