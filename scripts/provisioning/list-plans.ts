import type * as z from 'zod/mini'
import {
  createDescribedBody,
  createDioceseBody,
} from '../../src/routes/reference-lists/schemas.ts'
import type { Service } from '../lib/service-call.ts'
import { isRenamed, keyAfter, keyOf, type Match, matchItems } from './list-matching.ts'
import { repetitionProblems } from './lists.ts'
import type { Item, LISTS } from './state.ts'
import { rowStep, type Step } from './steps.ts'

type List = (typeof LISTS)[number]

const NEW_ROWS: Record<List, z.ZodMiniType> = {
  categories: createDescribedBody,
  treatment_pronouns: createDescribedBody,
  dioceses: createDioceseBody,
}

/** The rows of a list once a document is applied, with the ids of what is known. */
export function rowsAfter(known: Item[], matches: Match[]): Item[] {
  const claimed = new Set(matches.map((match) => match.known))
  return [
    ...known.filter((row) => !claimed.has(row)),
    ...matches.map((match) => Object.assign({ active: true }, match.known, match.item)),
  ]
}

/**
 * What keeps the items of a list from being applied.
 * @param isDoubtful whether a malformed row mentions a name
 */
export function listProblems(
  list: List,
  known: Item[],
  matches: Match[],
  isDoubtful: (name: string) => boolean,
): string[] {
  const found = matches.flatMap(({ problem }) => problem ?? [])
  const sound = matches.filter(({ problem }) => !problem)
  const added = sound.filter((match) => !match.known)
  const certain = sound.filter(({ item }) => !isDoubtful(item.name))
  const keys = sound.map((match) => ({
    path: match.path,
    key: keyAfter(match),
  }))
  const problems = [
    ...found,
    ...added.flatMap((match) => problemsOfNew(list, match)),
    ...takenNames(certain, keptKeys(known, matches)),
    ...repetitionProblems(keys),
    ...circles(sound),
  ]
  return problems.length > 0 ? problems : unrepeatable(known, matches)
}

/** The keys of the rows that no item means. */
function keptKeys(known: Item[], matches: Match[]): Set<string> {
  const claimed = new Set(matches.map((match) => match.known))
  const kept = known.filter((row) => !claimed.has(row))
  return new Set(kept.map(({ name, state }) => keyOf(name, state)))
}

function takenNames(matches: Match[], kept: Set<string>): string[] {
  return matches
    .filter((match) => kept.has(keyAfter(match)))
    .map(({ path, item }) => `${path}.name: "${item.name}" is taken`)
}

function problemsOfNew(list: List, { path, item }: Match): string[] {
  const { error } = NEW_ROWS[list].safeParse(item)
  const issues = error?.issues ?? []
  return issues.map((issue) => `${path}.${issue.path.join('.')}: ${issue.message}`)
}

/** Items that would mean another row, once they are applied: repeating must change nothing. */
function unrepeatable(known: Item[], matches: Match[]): string[] {
  const after = rowsAfter(known, matches)
  const own = after.slice(after.length - matches.length)
  const items = matches.map(({ path, item }) => ({
    path,
    row: item,
  }))
  return matchItems(items, after)
    .filter((match, at) => match.known !== own[at])
    .map(({ path }) => `${path}: would not be found again: add the state, and (UF)`)
}

/** The item that gives up the name which another one takes. */
function blockers(matches: Match[]): Map<Match, Match> {
  const byKey = new Map<string, Match>()
  for (const match of matches.filter(isRenamed)) {
    const { name = '', state } = match.known ?? {}
    byKey.set(keyOf(name, state), match)
  }

  const found = new Map<Match, Match>()
  for (const match of matches) {
    const blocker = byKey.get(keyAfter(match))
    if (blocker && blocker !== match) {
      found.set(match, blocker)
    }
  }
  return found
}

/** Names that go round, as in a swap, can be given to none of the items first. */
function circles(matches: Match[]): string[] {
  const blockerOf = blockers(matches)
  const isInCircle = (match: Match) => {
    const seen = new Set<Match>()
    let next = blockerOf.get(match)
    while (next && next !== match && !seen.has(next)) {
      seen.add(next)
      next = blockerOf.get(next)
    }
    return next === match
  }
  return matches
    .filter(isInCircle)
    .map(
      ({ path, item }) => `${path}.name: "${item.name}" goes round: rename in two runs`,
    )
}

/** The steps of a list. What takes the name of another row comes after that one is renamed. */
export function planList(service: Service, table: List, matches: Match[]): Step[][] {
  const blockerOf = blockers(matches)
  const successorOf = new Map<Match, Match>()
  for (const [match, blocker] of blockerOf) {
    successorOf.set(blocker, match)
  }

  const firsts = matches.filter((match) => !blockerOf.has(match))
  return firsts.map((first) => {
    const chain: Step[] = []
    let next: Match | undefined = first
    while (next) {
      const { previous_name: _, ...fields } = next.item
      const place = { table, path: next.path }
      chain.push(rowStep(service, place, fields, next.known))
      next = successorOf.get(next)
    }
    return chain
  })
}
