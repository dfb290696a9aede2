/** What a spreadsheet program would run, also behind apostrophes (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** An apostrophe before what would be a formula. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

/** The cell as it was before `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  const isEscaped = cell.startsWith("'") && FORMULA.test(cell)
  return isEscaped ? cell.slice(1) : cell
}
