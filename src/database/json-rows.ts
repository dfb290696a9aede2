/** Far below the 2 MB that D1 allows one value. */
const MAX_CHARACTERS = 400_000

/**
 * Rows as JSON lists, each small enough to be one parameter of a statement that reads it with `json_each`:
 * so any number of rows goes in few statements, whatever D1's limit of 100 parameters.
 */
export function jsonRows(rows: unknown[]): string[] {
  const pieces: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (size + text.length > MAX_CHARACTERS) {
      pieces.push([])
      size = 0
    }
    pieces.at(-1)?.push(text)
    size += text.length
  }
  return pieces.map((piece) => `[${piece.join(',')}]`)
}
