import { forEachConcurrently } from '../lib/concurrency.ts'
import type { Service } from '../lib/service-call.ts'
import { readList } from '../lib/service-client.ts'
import { isRefusal } from '../lib/service-error.ts'
import { isDeleted } from '../provisioning/people.ts'
import { type State, userSchema } from '../provisioning/state.ts'
import { headingOf } from './columns.ts'
import {
  type Decide,
  decider,
  type Decision,
  type Options,
  type Outcome,
  refused,
} from './decisions.ts'
import { type Entry, withIdsFirst } from './entries.ts'
import { informerFinder } from './matching.ts'

export type Outcomes = Map<Entry, Outcome>

type Work = {
  service: Service
  state: State
  options: Options & { dryRun: boolean }
  /** Each outcome is added as soon as it is there. */
  outcomes: Outcomes
  onProgress: () => void
}

/**
 * Brings people in. Safe to repeat, also after an interruption. A dry run only decides.
 * @throws what ends the run: an error response that is no refusal, a lost connection
 */
export async function importEntries(entries: Entry[], work: Work): Promise<void> {
  const { service, state, options, outcomes, onProgress } = work
  const decide = decider(service, state, options)
  const decisions = withIdsFirst(entries).map((entry) => ({
    entry,
    decision: decide(entry),
  }))

  await forEachConcurrently(decisions, async ({ entry, decision }) => {
    const outcome = options.dryRun
      ? decision
      : await carryOut(service, decide, entry, decision)
    outcomes.set(entry, outcome)
    onProgress()
  })
}

async function carryOut(
  service: Service,
  decide: Decide,
  entry: Entry,
  decision: Decision,
): Promise<Outcome> {
  try {
    for (const step of decision.steps ?? []) {
      await step.send?.()
    }
    return decision
  } catch (error) {
    if (isDeleted(error)) {
      return { kind: 'deleted', messages: ['foi excluído há menos de uma semana'] }
    }
    if (!isRefusal(error)) throw error

    if (!decision.known) {
      const again = await decideAgain(service, decide, entry)
      if (again.known) return carryOut(service, decide, entry, again)
    }
    const reasons = error.reasons.map((reason) => reason.replace(/^\w+(?=: )/, headingOf))
    return refused(...reasons)
  }
}

/** Decides by what is known now: somebody else may have been faster. */
async function decideAgain(
  service: Service,
  decide: Decide,
  entry: Entry,
): Promise<Decision> {
  const { email, cpf, first_name } = entry.person ?? {}
  const search = cpf ?? email ?? first_name ?? ''
  const informers = await readList(service, '/informers', userSchema, { search })
  return decide(entry, informerFinder({ informers, administrators: [] }))
}
