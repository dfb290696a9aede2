import type { Service } from '../lib/service-call.ts'
import { readList, send } from '../lib/service-client.ts'
import { isRefusal } from '../lib/service-error.ts'
import { foldedName } from '../provisioning/people.ts'
import { type User, userSchema } from '../provisioning/state.ts'
import { changesOf } from './changes.ts'
import type { Decision } from './decisions.ts'
import type { Entry } from './entries.ts'
import { isNameless } from './matching.ts'

/**
 * Two imports at once may create the same person, whom without email and CPF no index keeps apart:
 * the first stays. Both find the same one, so that one stays also where both withdraw.
 * @param outcomes of an import; who was withdrawn is known
 */
export async function withdrawDoubles(
  service: Service,
  outcomes: Map<Entry, Decision>,
): Promise<void> {
  const created = [...outcomes].filter(
    ([, { kind, person }]) => kind === 'created' && person && isNameless(person),
  )
  if (created.length === 0) return

  const informers = await readList(service, '/informers', userSchema)
  const byName = Map.groupBy(informers.filter(isNameless), foldedName)
  for (const [entry, decision] of created) {
    const doubles = doublesOf(decision, byName)
    for (const { id } of doubles) {
      await withdraw(service, id)
    }
    if (doubles.length > 0) {
      outcomes.set(entry, { kind: 'known', messages: [] })
    }
  }
}

/** Those who are what a decision wants, but for the oldest. */
function doublesOf(
  { person, references }: Decision,
  byName: Map<string, User[]>,
): User[] {
  if (!person || !references) return []

  const namesakes = byName.get(foldedName(person)) ?? []
  return namesakes
    .filter((known) => changesOf({ person, known, references }).length === 0)
    .sort((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1))
    .slice(1)
}

const ageOf = ({ created_at, id }: User) => `${created_at} ${id}`

async function withdraw(service: Service, id: string): Promise<void> {
  try {
    await send(service, 'DELETE', `/informers/${id}`)
  } catch (error) {
    if (!isRefusal(error)) throw error // both withdraw the same one
  }
}
