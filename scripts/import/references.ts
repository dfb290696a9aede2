import { fold } from '../../src/domain/folding.ts'
import { readList, type Service } from '../lib/service-client.ts'
import type { Column, SpreadsheetRow } from './spreadsheet.ts'

type Named = { id: number | string; name: string }
type Process = { protocol: string; name: string; groups: Named[] }
type Cells = SpreadsheetRow['cells']

const LISTS = {
  treatment_pronoun: '/treatment-pronouns',
  category: '/categories',
  diocese: '/dioceses',
} as const

/**
 * Reads the entities that a spreadsheet refers to from the service.
 *
 * @returns a function that finds the ids for the names of a row, and reports unknown names
 */
export async function readReferences(service: Service, columns: Column[]) {
  const processes = await readList<Process>(service, '/processes') // always, to check the token
  const findProcess = findBy(processes, ({ protocol, name }) => [protocol, name])
  const finders = new Map<keyof typeof LISTS, Find<Named>>()
  for (const [column, path] of Object.entries(LISTS) as [keyof typeof LISTS, string][])
    if (columns.includes(column))
      finders.set(
        column,
        findBy(await readList<Named>(service, path, { active: 'true' }), ({ name }) => [name]),
      )

  return (cells: Cells, report: (problem: string) => void) => {
    const find = <Item>(column: Column, finder: Find<Item> | undefined): Item | undefined => {
      const name = cells[column]
      const [item, ...others] = name === undefined ? [] : (finder?.(name) ?? [])
      if (name !== undefined && !item) report(`${column}: "${name}" was not found`)
      if (others.length > 0) report(`${column}: "${name}" is ambiguous`)
      return item
    }
    if (cells.group && !cells.process) report('process: required with a group')
    if (cells.process && !cells.group) report('group: required with a process')
    const process = find('process', findProcess)
    return {
      treatment_pronoun_id: find('treatment_pronoun', finders.get('treatment_pronoun'))?.id,
      category_id: find('category', finders.get('category'))?.id,
      diocese_id: find('diocese', finders.get('diocese'))?.id,
      group_id:
        process &&
        find(
          'group',
          findBy(process.groups, ({ name }) => [name]),
        )?.id,
    }
  }
}

type Find<Item> = (name: string) => Item[]

/** Finds items by one of their names. Case and accents matter only if the name is otherwise ambiguous. */
function findBy<Item>(items: Item[], namesOf: (item: Item) => string[]): Find<Item> {
  const byName = new Map<string, Set<Item>>()
  for (const item of items)
    for (const name of namesOf(item)) byName.set(fold(name), (byName.get(fold(name)) ?? new Set()).add(item))
  return (name) => {
    const found = [...(byName.get(fold(name.trim())) ?? [])]
    const exact = found.filter((item) => namesOf(item).includes(name.trim().normalize('NFC')))
    return exact.length > 0 ? exact : found
  }
}
