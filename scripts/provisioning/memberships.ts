import type { Service } from '../lib/service-call.ts'
import { send } from '../lib/service-client.ts'
import type { References } from './lists.ts'
import type { Planned } from './people.ts'
import type { User } from './state.ts'
import type { Step } from './steps.ts'

type Membership = NonNullable<User['processes_groups']>[number]

/**
 * The steps of the groups of a person, in their order, and of what is completed in them; then the
 * end of those that are left out with `groups_are_complete`.
 * @param urlOf the path of the person, who may be created by then, with a suffix
 */
export function planMemberships(
  service: Service,
  path: string,
  { person, known, references }: Planned,
  urlOf: (suffix: string) => string,
): Step[] {
  const pairs = known?.processes_groups ?? []
  const pairOf = (id?: string) => pairs.find(({ group }) => group.id === id)

  const steps = references.groups.flatMap(({ id, questionnaires }, at): Step[] => {
    const place = `${path}.groups[${at}]`
    const pair = pairOf(id)
    const comesWithPerson = !known && at === 0
    const associate = () => send(service, 'PUT', urlOf(`/groups/${id}`))
    return [
      {
        table: 'informer_groups',
        path: place,
        kind: pair ? 'unchanged' : 'added',
        send: pair || comesWithPerson ? undefined : associate,
      },
      ...questionnaires.map((questionnaire, number): Step => {
        const kind = completionKind(pair, questionnaire)
        const complete = () =>
          send(service, 'PUT', urlOf(`/questionnaires/${questionnaire}`))
        return {
          table: 'informer_completions',
          path: `${place}.completed[${number}]`,
          kind,
          send: kind === 'unchanged' ? undefined : complete,
        }
      }),
    ]
  })

  const surplus = person.groups_are_complete ? surplusOf(pairs, references) : []
  const ends = surplus.map(({ group }): Step => {
    const end = () => send(service, 'DELETE', urlOf(`/groups/${group.id}`))
    return {
      table: 'informer_groups',
      path,
      kind: 'removed',
      send: end,
    }
  })
  return [...steps, ...ends]
}

/**
 * What a completion is to a pair; without its questionnaires, those of a begun one are repeated.
 */
function completionKind(
  pair: Membership | undefined,
  id: string | undefined,
): Step['kind'] {
  const known = pair?.questionnaires?.find((questionnaire) => questionnaire.id === id)
  if (known) {
    return known.completed_at ? 'unchanged' : 'added'
  }
  const status = pair?.questionnaire_status
  if (status === 'Concluído') {
    return 'unchanged'
  }
  return status === 'Em andamento' ? 'repeated' : 'added'
}

const surplusOf = (pairs: Membership[], { groups }: References) =>
  pairs.filter(({ group }) => groups.every(({ id }) => id !== group.id))
