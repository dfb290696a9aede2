/** Text that a spreadsheet program would run, even after apostrophes (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** Puts an apostrophe before a text that would be a formula. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

/** Returns a cell as it was before `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  const isEscaped = cell.startsWith("'") && FORMULA.test(cell)
  return isEscaped ? cell.slice(1) : cell
}
