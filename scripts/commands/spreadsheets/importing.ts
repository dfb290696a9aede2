import { forEachConcurrently } from '../../lib/concurrency.ts'
import type { Service } from '../service/service-call.ts'
import { isRefusal } from '../service/service-error.ts'
import { headingOf } from './columns.ts'
import {
  decide,
  type Decision,
  type Options,
  type Outcome,
  refused,
} from './decisions.ts'
import type { Entry } from './entries.ts'
import { isDeleted } from './requests.ts'
import type { State } from './state.ts'

export type Outcomes = Map<Entry, Outcome>

type Work = {
  service: Service
  state: State
  options: Options & { dryRun: boolean }
  /** Outcomes, added as soon as they are known. */
  outcomes: Outcomes
  onProgress: () => void
}

/**
 * Imports people. Safe to repeat, also after an interruption. A dry run only decides.
 * @throws for errors that end the run: an error response other than a refusal, a lost connection
 */
export async function importEntries(entries: Entry[], work: Work): Promise<void> {
  const { service, state, options, outcomes, onProgress } = work
  const decisions = decide(service, entries, state, options)

  await forEachConcurrently([...decisions], async ([entry, decision]) => {
    const outcome = options.dryRun ? decision : await carryOut(decision)
    outcomes.set(entry, outcome)
    onProgress()
  })
}

async function carryOut(decision: Decision): Promise<Outcome> {
  try {
    await decision.send?.()
    return decision
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (isDeleted(error)) {
      return { kind: 'deleted', messages: ['foi excluído há menos de uma semana'] }
    }

    const reasons = error.reasons.map((reason) => reason.replace(/^\w+(?=: )/, headingOf))
    return refused(...reasons)
  }
}
