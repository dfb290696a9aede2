import type { XmlHandlers } from './xml.ts'

/** The number formats of dates and times that have no code in a file (ECMA-376, part 1, 18.8.30). */
const isBuiltInDate = (format: number) =>
  (format >= 14 && format <= 22) || (format >= 45 && format <= 47)

/** What a format shows as it stands: texts in quotation marks or behind a backslash, colours, currencies. */
const LITERALS = /"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi

const isDateCode = (code: string) => /[dmyhs]/i.test(code.replace(LITERALS, ''))

/** Collects the numbers of the cell styles that show a date or a time. */
export function dateStyleReader() {
  const dateFormats = new Set<number>()
  const dateStyles = new Set<string>()
  let isInCellStyles = false
  let style = 0

  const handlers: XmlHandlers = {
    open(element, attribute) {
      if (element === 'numFmt' && isDateCode(attribute('formatCode') ?? ''))
        dateFormats.add(Number(attribute('numFmtId')))
      if (element === 'cellXfs') isInCellStyles = true
      if (element !== 'xf' || !isInCellStyles) return

      const format = Number(attribute('numFmtId') ?? 0)
      if (isBuiltInDate(format) || dateFormats.has(format)) dateStyles.add(String(style))
      style += 1
    },
    close(element) {
      if (element === 'cellXfs') isInCellStyles = false
    },
  }
  return { handlers, result: () => dateStyles }
}
