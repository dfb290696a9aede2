import { readFileSync } from 'node:fs'
import { is } from 'drizzle-orm'
import { type ForeignKey, getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import * as schema from '#database/schema.ts'

/** Tables and their references, as Mermaid draws them. */
function drawTables(): string {
  const tables = Object.values(schema).filter((table) => is(table, SQLiteTable))
  const lines = tables.flatMap((table) => {
    const { name, foreignKeys } = getTableConfig(table)
    return foreignKeys.map((key) => `  ${drawReference(name, key)}`)
  })
  return ['erDiagram', ...lines].join('\n')
}

/** One row, or none where the column may be null, and any number of rows that refer to it. */
function drawReference(from: string, key: ForeignKey): string {
  const { columns, foreignTable } = key.reference()
  const one = columns.every(({ notNull }) => notNull) ? '||' : '|o'
  const label = columns.map((column) => column.name).join('_and_')
  return `${getTableConfig(foreignTable).name} ${one}--o{ ${from} : ${label}`
}

it('docs/design.md draws the references of the schema; copy them from here', () => {
  const design = readFileSync('docs/design.md', 'utf8')
  const [, picture] = /```mermaid\n(erDiagram\n[^`]+)\n```/.exec(design) ?? []
  expect(picture).toBe(drawTables())
})
