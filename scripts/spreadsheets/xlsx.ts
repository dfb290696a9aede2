import type { Row } from './cells.ts'
import { LimitError } from './limits.ts'
import { sheetReader } from './xlsx-sheet.ts'
import { dateStyleReader } from './xlsx-styles.ts'
import { type XmlHandlers, xmlParser } from './xml.ts'
import { Archive } from './zip.ts'

/** A sheet that was asked for by its name is not there. */
class SheetNotFoundError extends Error {}

/**
 * Reads the rows of a sheet of an XLSX file (ECMA-376, part 1, 18).
 * @param name by default the first sheet
 * @throws if there is no such sheet, if it is larger than what is read, or if this is no XLSX file
 */
export function readXlsx(bytes: Uint8Array, name?: string): Row[] {
  try {
    return readSheet(new Archive(bytes), name)
  } catch (error) {
    if (error instanceof LimitError || error instanceof SheetNotFoundError) throw error
    throw new Error('o arquivo não é uma planilha XLSX que se possa ler')
  }
}

function readSheet(archive: Archive, name?: string): Row[] {
  const parts = findParts(archive, name)

  const dates = dateStyleReader()
  if (parts.styles) readPart(archive, parts.styles, dates.handlers)

  const texts = sharedTextReader()
  if (parts.sharedStrings) readPart(archive, parts.sharedStrings, texts.handlers)

  const sheet = sheetReader({
    texts: texts.result,
    isDate: (style) => dates.result.has(style),
  })
  readPart(archive, parts.sheet, sheet.handlers)
  return sheet.result()
}

function readPart(archive: Archive, path: string, handlers: XmlHandlers): void {
  const parser = xmlParser(handlers)
  const isThere = archive.unpack(path, (piece) => parser.write(piece))
  if (!isThere) throw new Error(`no part ${path}`)
  parser.end()
}

/** The paths of the parts that a sheet needs. */
function findParts(archive: Archive, name?: string) {
  const sheets: { name: string; relationship: string }[] = []
  readPart(archive, 'xl/workbook.xml', {
    open(element, attribute) {
      if (element !== 'sheet') return

      sheets.push({
        name: attribute('name') ?? '',
        relationship: attribute('id') ?? '',
      })
    },
  })

  const sheet =
    name === undefined ? sheets[0] : sheets.find((other) => other.name === name)
  if (!sheet) throw new SheetNotFoundError(`não há planilha "${name}" no arquivo`)

  const byId = new Map<string, string>()
  const byType = new Map<string, string>()
  readPart(archive, 'xl/_rels/workbook.xml.rels', {
    open(element, attribute) {
      if (element !== 'Relationship') return

      const { pathname } = new URL(attribute('Target') ?? '', 'zip:///xl/')
      const path = pathname.slice(1)
      const type = attribute('Type')?.split('/').at(-1)
      byId.set(attribute('Id') ?? '', path)
      byType.set(type ?? '', path)
    },
  })
  return {
    sheet: byId.get(sheet.relationship) ?? '',
    styles: byType.get('styles'),
    sharedStrings: byType.get('sharedStrings'),
  }
}

/** Collects the texts that cells refer to by number, without what tells how to pronounce them. */
function sharedTextReader() {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isPronunciation = false

  const handlers: XmlHandlers = {
    open(element) {
      if (element === 'si') text = ''
      if (element === 'rPh') isPronunciation = true
      isText = element === 't' && !isPronunciation
    },
    text(part) {
      if (isText) text += part
    },
    close(element) {
      isText = false
      if (element === 'rPh') isPronunciation = false
      if (element === 'si') texts.push(text)
    },
  }
  return { handlers, result: texts }
}
