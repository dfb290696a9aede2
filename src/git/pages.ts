import { RepositoryUnavailableError } from './errors.ts'

/** The new rows of one page after another. */
export type Pages<Row> = AsyncGenerator<Row[], void>

type ReadPage<Page> = (page: number) => Promise<Page>
type KeyOf<Row> = (row: Row) => string

/**
 * Reads a list. It ends with a page without new rows: neither a short page nor a missing link tells
 * the last one, because Gitea has smaller pages and sends no links to further pages of tags.
 * @throws {RepositoryUnavailableError} if such a page is as long as the first: the server sends a
 * page again instead of the next one
 */
export async function* readList<Row>(
  readPage: ReadPage<Row[]>,
  keyOf: KeyOf<Row>,
): Pages<Row> {
  const known = new Set<string>()
  let firstLength = 0
  for (let page = 1; ; page++) {
    const rows = await readPage(page)
    if (page === 1) firstLength = rows.length

    const added = addNew(known, rows, keyOf)
    if (added.length === 0) {
      const isRepeated = rows.length > 0 && rows.length >= firstLength
      if (isRepeated) throw new RepositoryUnavailableError('a page that was sent before')
      return
    }
    yield added
  }
}

/** A page of a comparison, with the number of rows of all its pages. */
type ComparisonPage<Row> = {
  rows: Row[]
  total: number
}

/**
 * Reads a comparison until it is complete: GitHub sends it in pages, Gitea sends it whole.
 * @throws {RepositoryUnavailableError} if there are fewer rows than the server says
 */
export async function* readComparison<Row>(
  readPage: ReadPage<ComparisonPage<Row>>,
  keyOf: KeyOf<Row>,
): Pages<Row> {
  const known = new Set<string>()
  for (let page = 1; ; page++) {
    const { rows, total } = await readPage(page)
    const added = addNew(known, rows, keyOf)
    yield added
    if (known.size === total) return
    if (added.length === 0) {
      throw new RepositoryUnavailableError(`${known.size} of ${total} rows`)
    }
  }
}

/** Returns the rows that are not known yet, each once, and adds them to the known ones. */
function addNew<Row>(known: Set<string>, rows: Row[], keyOf: KeyOf<Row>): Row[] {
  const added: Row[] = []
  for (const row of rows) {
    const key = keyOf(row)
    if (known.has(key)) continue
    known.add(key)
    added.push(row)
  }
  return added
}
