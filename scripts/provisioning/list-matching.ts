import { fold } from '../../src/domain/folding.ts'
import type { ListItem, Placed } from './document.ts'
import { findBy, namesOf } from './lists.ts'
import type { Item } from './state.ts'

/** An item of a document, and the row that it means; without one it is new. */
export type Match = {
  path: string
  item: ListItem
  known?: Item | undefined
  problem?: string | undefined
}

/** A match that is still looked for. */
type Open = Match & {
  /** The rows that have the previous name. */
  previous: Item[]
  /** The rows that have the name already. */
  named: Item[]
  isSettled: boolean
}

/** What tells the rows of a list apart: the name, and of a diocese the state. */
export const keyOf = (name: string, state?: string) => `${fold(name)} ${state ?? ''}`

/** The key of a row once its item is applied. */
export const keyAfter = ({ item, known }: Match) =>
  keyOf(item.name, item.state ?? known?.state)

export const isRenamed = (match: Match) =>
  match.known !== undefined &&
  keyAfter(match) !== keyOf(match.known.name, match.known.state)

/**
 * Finds what the items of a list mean: by their previous name, or by their name, and the state if
 * they have one. A chain of renames (A to B, B to C) is told from one that is done already: there,
 * what has the previous name is meant by another item.
 */
export function matchItems(items: Placed<ListItem>[], known: Item[]): Match[] {
  const candidatesOf = candidateFinder(known)
  const open = items.map(({ path, row }) => toOpen(path, row, candidatesOf(row)))
  const claims = new Map<Item, Open>()

  const settle = (one: Open, row: Item | undefined) => {
    one.isSettled = true
    const other = row && claims.get(row)
    if (other) {
      one.problem = `${one.path}: is the same as ${other.path}`
    }
    if (!row || other) {
      return
    }
    one.known = row
    claims.set(row, one)
  }
  const isGivenUp = (row: Item) => {
    const claim = claims.get(row)
    return claim !== undefined && isRenamed(claim)
  }

  // nothing has the new name, or what has it gives it up
  settleAll(open, settle, ({ previous: [row], named }) =>
    named.every(isGivenUp) ? row : undefined,
  )
  for (const one of open) {
    if (one.isSettled || one.previous.length > 0) {
      continue
    }
    const row = one.named.find((named) => !isGivenUp(named))
    if (!row) {
      one.problem = lostProblem(one)
    }
    settle(one, row)
  }
  // what has the previous name is another item's by now: the rename is done
  settleAll(open, settle, ({ previous: [row], named: [done, ...others] }) => {
    const isDone = row && others.length === 0 && (row === done || claims.has(row))
    return isDone ? done : undefined
  })
  for (const one of open) {
    if (!one.isSettled) {
      settle(one, one.previous[0])
    }
  }
  return open
}

/** Settles items as long as a row is found for one, because each may decide about others. */
function settleAll(
  open: Open[],
  settle: (one: Open, row: Item) => void,
  find: (one: Open) => Item | undefined,
): void {
  let isGoingOn = true
  while (isGoingOn) {
    isGoingOn = false
    for (const one of open) {
      const row = one.isSettled ? undefined : find(one)
      if (!row) {
        continue
      }
      settle(one, row)
      isGoingOn = true
    }
  }
}

type Candidates = Pick<Open, 'previous' | 'named'>

function candidateFinder(known: Item[]): (item: ListItem) => Candidates {
  const findByName = findBy(known, ({ name }) => [name])
  const findPrevious = findBy(known, namesOf)

  return ({ name, previous_name, state }) => {
    const found = previous_name === undefined ? [] : findPrevious(previous_name)
    const inState = found.filter((row) => row.state === state)
    const previous = inState.length > 0 ? inState : found

    const named = findByName(name).filter((row) => !state || row.state === state)
    // a row of another state is meant only as long as none has the new name
    const isDone =
      inState.length === 0 && state && named.length > 0 && !hasState(previous_name)
    return {
      previous: isDone ? [] : previous,
      named,
    }
  }
}

const hasState = (name = '') => /\([a-z]{2}\)\s*$/i.test(name)

function toOpen(path: string, item: ListItem, candidates: Candidates): Open {
  const problem = problemOf(path, item, candidates)
  return {
    path,
    item,
    problem,
    isSettled: problem !== undefined,
    ...candidates,
  }
}

function problemOf(
  path: string,
  { previous_name }: ListItem,
  { previous, named }: Candidates,
): string | undefined {
  if (previous.length > 1) {
    return `${path}.previous_name: "${previous_name}" is ambiguous: add (UF)`
  }
  const isAmbiguous = previous.length === 0 && named.length > 1
  return isAmbiguous
    ? `${path}: there are several with this name: add the state`
    : undefined
}

/** What had another name before is not new. */
const lostProblem = ({ path, item: { previous_name } }: Open) =>
  previous_name === undefined
    ? undefined
    : `${path}.previous_name: "${previous_name}" was not found`
