/** What a spreadsheet program would run, also behind apostrophes (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** An apostrophe before what would be a formula. */
export const escapeFormula = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell)

/** The cell as it was before `escapeFormula`. */
export const unescapeFormula = (cell: string) =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
