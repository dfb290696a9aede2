import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ListItem } from '../../scripts/provisioning/document.ts'
import { matchItems } from '../../scripts/provisioning/list-matching.ts'
import {
  listProblems,
  planList,
  rowsAfter,
} from '../../scripts/provisioning/list-plans.ts'
import type { Item } from '../../scripts/provisioning/state.ts'
import { apply, contents, problemsOf, serveCommands } from './helper.ts'

beforeEach(serveCommands)

const described = (name: string, previous_name?: string) => ({
  name,
  description: `${name}.`,
  ...(previous_name && { previous_name }),
})

/** The names and ids of some categories, by name. */
async function categoriesNamed(...names: string[]): Promise<Record<string, unknown>> {
  const { results } = await env.DB.prepare('select id, name from categories').all()
  const wanted = results.filter(({ name }) => names.includes(String(name)))
  return Object.fromEntries(wanted.map(({ name, id }) => [name, id]))
}

/** The states and ids of the dioceses of a name. */
async function diocesesNamed(name: string): Promise<Record<string, unknown>> {
  const select = env.DB.prepare('select id, state from dioceses where name = ?').bind(
    name,
  )
  const { results } = await select.all()
  return Object.fromEntries(results.map(({ state, id }) => [state, id]))
}

/** Applies a document, then again, and expects that this changes nothing. */
async function applyTwice(document: object): Promise<void> {
  expect((await apply(document)).refusals).toEqual([])
  const after = await contents()
  expect((await apply(document)).refusals).toEqual([])
  expect(await contents()).toEqual(after)
}

let tests = 0
/** Names that no other test uses. */
const newNames = () => {
  tests += 1
  return ['A', 'B', 'C', 'D'].map((letter) => `${letter} ${tests}`) as [
    string,
    string,
    string,
    string,
  ]
}

describe('renames', () => {
  it('in a chain take effect in one run, whatever their order', async () => {
    const [A, B, C, D] = newNames()
    await apply({ categories: [described(A), described(B), described(C)] })
    const before = await categoriesNamed(A, B, C)
    await applyTwice({ categories: [described(B, A), described(C, B), described(D, C)] })
    expect(await categoriesNamed(A, B, C, D)).toEqual({
      [B]: before[A],
      [C]: before[B],
      [D]: before[C],
    })
  })

  it('that were interrupted go on', async () => {
    const [A, B, C, D] = newNames()
    await apply({ categories: [described(A), described(C), described(D)] })
    const before = await categoriesNamed(A, C, D)
    await applyTwice({ categories: [described(B, A), described(C, B), described(D, C)] })
    expect(await categoriesNamed(A, B, C, D)).toEqual({
      [B]: before[A],
      [C]: before[C],
      [D]: before[D],
    })
  })

  it('leave room for a new row of the former name', async () => {
    const [A, B] = newNames()
    await apply({ categories: [described(A)] })
    const before = await categoriesNamed(A)
    await applyTwice({ categories: [described(A), described(B, A)] })
    const after = await categoriesNamed(A, B)
    expect(after[B]).toBe(before[A])
    expect(after[A]).toEqual(expect.any(Number))
  })
})

describe('a diocese whose name exists in two states', () => {
  let NAME = ''
  let NEW = ''
  beforeEach(async () => {
    ;[NAME, NEW] = newNames()
    await apply({
      dioceses: [
        { name: NAME, state: 'AL' },
        { name: NAME, state: 'RJ' },
      ],
    })
  })

  it.each([
    ['with its state', (name: string) => `${name} (AL)`],
    ['with its state in small letters', (name: string) => `${name} (al)`.toLowerCase()],
    ['by the state of the row', (name: string) => name],
  ])('is renamed %s', async (_, previousOf) => {
    const before = await diocesesNamed(NAME)
    const item = { name: NEW, state: 'AL', previous_name: previousOf(NAME) }
    await applyTwice({ dioceses: [item] })
    expect(await diocesesNamed(NEW)).toEqual({ AL: before.AL })
    expect(await diocesesNamed(NAME)).toEqual({ RJ: before.RJ })
  })

  it('is moved', async () => {
    const before = await diocesesNamed(NAME)
    await applyTwice({
      dioceses: [{ name: NAME, state: 'SE', previous_name: `${NAME} (AL)` }],
    })
    expect(await diocesesNamed(NAME)).toEqual({ RJ: before.RJ, SE: before.AL })
  })

  it('is not guessed', async () => {
    const problemOf = (item: object) =>
      problemsOf({ dioceses: [{ name: NAME, ...item }] })
    expect(await problemOf({ state: 'SE', previous_name: NAME })).toEqual([
      `dioceses[0].previous_name: "${NAME}" is ambiguous: add (UF)`,
    ])
    expect(await problemOf({ state: 'RJ', previous_name: `${NAME} (AL)` })).toEqual([
      `dioceses[0].name: "${NAME}" is taken`,
    ])
    const ambiguous = ['dioceses[0]: there are several with this name: add the state']
    expect(await problemOf({ active: false })).toEqual(ambiguous)
  })

  it('does not come about by a rename that could not be repeated', async () => {
    await apply({ dioceses: [{ name: NEW, state: 'SE' }] })
    const dioceses = [{ name: NEW, previous_name: `${NAME} (AL)` }]
    const problem = 'dioceses[0]: would not be found again: add the state, and (UF)'
    expect(await problemsOf({ dioceses })).toEqual([problem])
  })
})

describe('nothing is sent of a list', () => {
  it.each([
    [
      'a name twice',
      [described('Nova'), described('nova')],
      ['categories[1]: is the same as categories[0]'],
    ],
    [
      'a row renamed twice',
      [described('Nova', 'Cardeal'), described('Outra', 'Cardeal')],
      ['categories[1]: is the same as categories[0]'],
    ],
    [
      'a row without what it needs',
      [{ name: 'Nova' }],
      ['categories[0].description: O campo descrição é obrigatório.'],
    ],
    [
      'a rename onto a taken name',
      [described('Bispo Emérito', 'Cardeal')],
      ['categories[0].name: "Bispo Emérito" is taken'],
    ],
    [
      'a swap',
      [described('Bispo Emérito', 'Cardeal'), described('Cardeal', 'Bispo Emérito')],
      [
        'categories[0].name: "Bispo Emérito" goes round: rename in two runs',
        'categories[1].name: "Cardeal" goes round: rename in two runs',
      ],
    ],
  ])('with %s', async (_, categories, problems) => {
    expect(await problemsOf({ categories })).toEqual(problems)
  })
})

describe('whatever the items of a list are', () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D')
  const state = fc.constantFrom('AL', 'RJ')
  const item = fc.record({
    name,
    previous_name: fc.oneof(
      name,
      name.map((it) => `${it} (AL)`),
    ),
    state,
  })
  const items = fc.array(
    fc.oneof(
      item,
      item.map(({ previous_name: _, ...rest }) => rest),
      item.map(({ state: _, ...rest }) => rest),
    ),
    { maxLength: 5 },
  )
  const known = fc
    .uniqueArray(fc.tuple(name, state), {
      selector: (pair) => pair.join(' '),
      maxLength: 6,
    })
    .map((pairs) => pairs.map(([name, state], id) => ({ id, name, state, active: true })))

  const placed = (rows: ListItem[]) =>
    rows.map((row, at) => ({ path: `dioceses[${at}]`, row }))
  const planned = (rows: ListItem[], before: Item[]) => {
    const matches = matchItems(placed(rows), before)
    return { matches, problems: listProblems('dioceses', before, matches, () => false) }
  }
  const keysOf = (rows: Item[]) =>
    rows.map(({ name, state }) => `${name} ${state}`).sort()

  it('each step finds its name free, and a repetition changes nothing', () => {
    fc.assert(
      fc.property(items, known, (rows, before) => {
        const { matches, problems } = planned(rows, before)
        fc.pre(problems.length === 0)
        const after = [...before] as Item[]
        const steps = planList({ baseUrl: '' }, 'dioceses', matches).flat()
        expect(steps.map(({ path }) => path).sort()).toEqual(
          matches.map(({ path }) => path).sort(),
        )
        for (const { path } of steps) {
          const match = matches.find((one) => one.path === path)
          const { previous_name: _, ...fields } = match?.item ?? { name: '' }
          const at = match?.known
            ? after.findIndex(({ id }) => id === match.known?.id)
            : after.length
          after[at] = { id: after.length, active: true, ...after[at], ...fields }
          expect(new Set(keysOf(after)).size).toBe(after.length)
        }
        expect(keysOf(after)).toEqual(keysOf(rowsAfter(before, matches)))

        const again = planned(rows, after)
        expect(again.problems).toEqual([])
        const steps2 = planList({ baseUrl: '' }, 'dioceses', again.matches).flat()
        expect(steps2.filter(({ kind }) => kind !== 'unchanged')).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
