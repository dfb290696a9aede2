import { forEachConcurrently } from '../lib/concurrency.ts'
import type { Service } from '../lib/service-call.ts'
import { readList, send } from '../lib/service-client.ts'
import { isRefusal } from '../lib/service-error.ts'
import { foldedName, isDeleted } from '../provisioning/people.ts'
import { type State, type User, userSchema } from '../provisioning/state.ts'
import { changesOf } from './changes.ts'
import { headingOf } from './columns.ts'
import { decider, type Decision, type Options, type Outcome, refused } from './decisions.ts'
import type { Entry } from './entries.ts'
import { informerFinder, isNameless } from './matching.ts'

export type Outcomes = Map<Entry, Outcome>

type Work = {
  service: Service
  state: State
  options: Options & { dryRun: boolean }
  /** What has come of entries: each is added as soon as it is done. */
  outcomes: Outcomes
  onProgress: () => void
}

/** Brings people in. Safe to repeat, also after an interruption. A dry run only decides. */
export async function importEntries(
  entries: Entry[],
  { service, state, options, outcomes, onProgress }: Work,
): Promise<void> {
  const decide = decider(service, state, options)
  const decisions = new Map(entries.map((entry) => [entry, decide(entry)]))

  await forEachConcurrently([...decisions], async ([entry, decision]) => {
    const outcome = options.dryRun ? decision : await carryOut(entry, decision)
    outcomes.set(entry, outcome)
    onProgress()
  })
  if (!options.dryRun) await withdrawDoubles(service, outcomes)

  async function carryOut(entry: Entry, decision: Decision): Promise<Outcome> {
    try {
      for (const step of decision.steps ?? []) await step.send?.()
      return decision
    } catch (error) {
      if (isDeleted(error)) return DELETED
      if (!isRefusal(error)) throw error

      const again = decision.known ? undefined : await decideAgain(entry)
      if (again?.known) return carryOut(entry, again) // somebody else was faster
      return refused(...error.reasons.map((reason) => reason.replace(/^\w+(?=: )/, headingOf)))
    }
  }

  async function decideAgain(entry: Entry): Promise<Decision> {
    const { email, cpf, first_name } = entry.person ?? {}
    const search = cpf ?? email ?? first_name ?? ''
    const informers = await readList(service, '/informers', userSchema, { search })
    return decide(entry, informerFinder({ informers, administrators: [] }))
  }
}

const DELETED: Outcome = { kind: 'deleted', messages: ['foi excluído há menos de uma semana'] }

/**
 * Two imports at once may create the same person, whom without email and CPF no index keeps apart: the first stays.
 * Both find the same one, so that one stays also where both withdraw.
 */
async function withdrawDoubles(service: Service, outcomes: Map<Entry, Decision>): Promise<void> {
  const created = [...outcomes].filter(
    ([, { kind, person }]) => kind === 'created' && person && isNameless(person),
  )
  if (created.length === 0) return

  const informers = await readList(service, '/informers', userSchema)
  const byName = Map.groupBy(informers.filter(isNameless), foldedName)
  for (const [entry, { person, references }] of created) {
    if (!person || !references) continue

    const namesakes = byName.get(foldedName(person)) ?? []
    const [, ...doubles] = namesakes
      .filter((known) => changesOf({ person, known, references }).length === 0)
      .sort((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1))
    for (const { id } of doubles) await withdraw(service, id)
    if (doubles.length > 0) outcomes.set(entry, { kind: 'known', messages: [] })
  }
}

const ageOf = ({ created_at, id }: User) => `${created_at} ${id}`

async function withdraw(service: Service, id: string): Promise<void> {
  try {
    await send(service, 'DELETE', `/informers/${id}`)
  } catch (error) {
    if (!isRefusal(error)) throw error // both withdraw the same one
  }
}
