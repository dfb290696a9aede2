export const MAX_FILE_BYTES = 20_000_000
const MAX_UNPACKED_BYTES = 100_000_000
const MAX_ROWS = 50_000
export const MAX_COLUMNS = 200

/** A file is larger than any register of informers: it is refused as soon as that shows. */
export class LimitError extends Error {}

/**
 * Called for each cell with a text: spreadsheet programs also write empty ones, by the million.
 * @param row as spreadsheet programs count, the headings too
 * @param column from 0
 * @throws {LimitError} if it is beyond what is read
 */
export function checkPlace(row: number, column: number): void {
  if (row > MAX_ROWS + 1) {
    throw new LimitError('a planilha tem mais de 50.000 linhas')
  }
  if (column >= MAX_COLUMNS) {
    throw new LimitError('a planilha tem mais de 200 colunas')
  }
}

/** @throws {LimitError} if so many bytes are more than what is unpacked of a file */
export function checkUnpacked(bytes: number): void {
  if (bytes > MAX_UNPACKED_BYTES) {
    throw new LimitError('a planilha tem mais de 100 MB depois de descompactada')
  }
}
