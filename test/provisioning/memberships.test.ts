import { expect, it } from 'vitest'
import { planMemberships } from '../../scripts/provisioning/memberships.ts'
import type { User } from '../../scripts/provisioning/state.ts'

type Membership = NonNullable<User['processes_groups']>[number]

const GROUP = { id: 'g', name: 'Grupo 1' }
const PROCESS = { id: 'p', name: 'Um processo', protocol: 'P-1' }
const done = (id: string) => ({ id, completed_at: '2026-11-20T12:00:00.000000Z' })
const open = (id: string) => ({ id, completed_at: null })

it.each<[string, Partial<Membership> | undefined, string[]]>([
  ['a new pair', undefined, ['added', 'added', 'added']],
  [
    'a concluded one',
    { questionnaire_status: 'Concluído' },
    ['unchanged', 'unchanged', 'unchanged'],
  ],
  ['one of which only the status is told', {}, ['unchanged', 'repeated', 'repeated']],
  [
    'one of which each completion is told',
    { questionnaires: [open('a'), done('b')] },
    ['unchanged', 'added', 'unchanged'],
  ],
])('the steps of %s', (_, membership, kinds) => {
  const pair = {
    process: PROCESS,
    group: GROUP,
    questionnaire_status: 'Em andamento' as const,
    ...membership,
  }
  const known = { processes_groups: membership ? [pair] : [] } as unknown as User
  const references = {
    items: {},
    groups: [{ id: 'g', questionnaires: ['a', 'b'] }],
    problems: [],
  }
  const person = { first_name: 'Ana', groups_are_complete: true } as never
  const steps = planMemberships(
    { baseUrl: '' },
    'informers[0]',
    { person, known, references },
    String,
  )
  expect(steps.map(({ kind }) => kind)).toEqual(kinds)
  expect(steps.filter(({ send }) => !send)).toHaveLength(
    kinds.filter((kind) => kind === 'unchanged').length,
  )
})
