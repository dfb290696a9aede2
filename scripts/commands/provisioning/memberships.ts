import type { Service } from '../service/service-call.ts'
import { send } from '../service/service-client.ts'
import type { Planned } from './people.ts'
import type { Step } from './steps.ts'

/**
 * Plans the groups of a person, in order, and the completions in them.
 * @param urlOf the path of the person, who may have been created by then, with a suffix
 */
export function planMemberships(
  service: Service,
  path: string,
  { known, references }: Planned,
  urlOf: (suffix: string) => string,
): Step[] {
  const pairs = known?.processes_groups ?? []

  return references.groups.flatMap(({ id, questionnaires }, at): Step[] => {
    const place = `${path}.groups[${at}]`
    const pair = pairs.find(({ group }) => group.id === id)
    const associate = () => send(service, 'PUT', urlOf(`/groups/${id}`))
    const association: Step = {
      table: 'informer_groups',
      path: place,
      kind: pair ? 'unchanged' : 'added',
      send: pair || !known ? undefined : associate, // a new person comes with all groups
    }

    const completed = pair?.questionnaires.filter((one) => one.completed_at)
    const completions = questionnaires.map((questionnaire, number): Step => {
      const isKnown = completed?.some((one) => one.id === questionnaire)
      const complete = () =>
        send(service, 'PUT', urlOf(`/questionnaires/${questionnaire}`))
      return {
        table: 'informer_completions',
        path: `${place}.completed[${number}]`,
        kind: isKnown ? 'unchanged' : 'added',
        send: isKnown ? undefined : complete,
      }
    })
    return [association, ...completions]
  })
}
