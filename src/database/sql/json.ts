import {
  Column,
  type GetColumnData,
  is,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

// Related rows are read as JSON in the same statement: a sub-select has one column, and a batch of
// D1 merges columns of the same name.

type Members = Record<string, SQLiteColumn | SQL>

type ObjectOf<Shape extends Members> = {
  [Name in keyof Shape]: Shape[Name] extends SQLiteColumn
    ? GetColumnData<Shape[Name]>
    : Shape[Name] extends SQL<infer Value>
      ? Value
      : never
}

/** A JSON object of columns and of other JSON. */
export function jsonObject<Shape extends Members>(shape: Shape): SQL<ObjectOf<Shape>> {
  const members = Object.entries(shape).map(
    ([name, value]) => sql`${sql.raw(`'${name}'`)}, ${jsonValue(value)}`,
  )
  return sql`json_object(${sql.join(members, sql`, `)})`
}

/** A JSON object with the members of two. */
export const jsonMerge = <One, Other>(
  one: SQL<One>,
  other: SQL<Other>,
): SQL<One & Other> => sql`json_patch(${one}, ${other})`

/** A JSON array of the rows of a group, in an order. */
export const jsonArray = <Item>(item: SQL<Item>, ...order: SQLWrapper[]): SQL<Item[]> =>
  sql`json_group_array(${item} order by ${sql.join(order, sql`, `)})`

/**
 * A column of a query: the parsed JSON of a sub-select.
 * @param from the rest of it: tables, joins, conditions
 */
export const jsonColumn = <Value>(
  name: string,
  value: SQL<Value>,
  from: SQL,
): SQL.Aliased<Value> => subselect(value, from).mapWith(JSON.parse).as(name)

/** The same where the sub-select may find no row. */
export const nullableJsonColumn = <Value>(
  name: string,
  value: SQL<Value>,
  from: SQL,
): SQL.Aliased<Value | null> => jsonColumn<Value | null>(name, value, from)

/** JSON of a sub-select, within other JSON. */
export const subselect = <Value>(value: SQL<Value>, from: SQL): SQL<Value> =>
  // nested, or Drizzle omits the tables of its columns
  sql`(${sql`select ${value} from ${from}`})`

/** Makes JSON booleans of flags, because SQLite has none. */
function jsonValue(value: SQLiteColumn | SQL): SQL {
  const isFlag = is(value, Column) && value.dataType === 'boolean'
  return isFlag ? sql`json(iif(${value}, 'true', 'false'))` : sql`${value}`
}
