import type { XmlHandlers } from './xml.ts'

/** The formats of dates and times that have no code in a file (ECMA-376, part 1, 18.8.30). */
function isBuiltInDate(format: number): boolean {
  const isDate = format >= 14 && format <= 22
  const isTime = format >= 45 && format <= 47
  return isDate || isTime
}

/** What a format shows as it stands: quoted texts, what follows a backslash, and colours. */
const LITERALS = /"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi

function isDateCode(code: string): boolean {
  const symbols = code.replace(LITERALS, '')
  return /[dmyhs]/i.test(symbols)
}

/** Collects the numbers of the cell styles that show a date or a time. */
export function dateStyleReader() {
  const dateFormats = new Set<number>()
  const dateStyles = new Set<string>()
  let isInCellStyles = false
  let style = 0

  const handlers: XmlHandlers = {
    open(element, attribute) {
      const format = Number(attribute('numFmtId') ?? 0)
      if (element === 'numFmt') {
        const code = attribute('formatCode') ?? ''
        if (isDateCode(code)) dateFormats.add(format)
      } else if (element === 'cellXfs') {
        isInCellStyles = true
      } else if (element === 'xf' && isInCellStyles) {
        const isDate = isBuiltInDate(format) || dateFormats.has(format)
        if (isDate) dateStyles.add(String(style))
        style += 1
      }
    },
    close(element) {
      if (element === 'cellXfs') isInCellStyles = false
    },
  }
  return { handlers, result: dateStyles }
}
