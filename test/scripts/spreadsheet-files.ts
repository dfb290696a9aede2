import { CFB, utils, write } from '@e965/xlsx'

const OPENXML = 'http://schemas.openxmlformats.org'
const RELATIONSHIPS = `${OPENXML}/officeDocument/2006/relationships`
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const MAIN = `${OPENXML}/spreadsheetml/2006/main`

const relationshipsXml = (types: [type: string, target: string][]) =>
  `<Relationships xmlns="${OPENXML}/package/2006/relationships">${types
    .map(
      ([type, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

/** Style 1 shows dates. */
const PARTS = {
  '[Content_Types].xml': `<Types xmlns="${OPENXML}/package/2006/content-types">
    <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
    <Override PartName="/xl/workbook.xml" ContentType="${CONTENT_TYPE}.sheet.main+xml"/>
    <Override PartName="/xl/styles.xml" ContentType="${CONTENT_TYPE}.styles+xml"/>
    <Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT_TYPE}.worksheet+xml"/>
  </Types>`,
  '_rels/.rels': relationshipsXml([['officeDocument', 'xl/workbook.xml']]),
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}">
    <sheets><sheet name="Lista" sheetId="1" r:id="rId1"/></sheets>
  </workbook>`,
  'xl/_rels/workbook.xml.rels': relationshipsXml([
    ['worksheet', 'worksheets/sheet1.xml'],
    ['styles', 'styles.xml'],
  ]),
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}">
    <numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\/mm\\/yyyy"/></numFmts>
    <cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>
  </styleSheet>`,
}

/** The XML of a cell with a text, or of one as it is given: `<c …/>`. */
const cellXml = (cell: string) =>
  cell.startsWith('<c') || cell === ''
    ? cell
    : `<c t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`

/** An XLSX file with a sheet of rows, as XML, and the ranges of its merged cells. */
export function xlsxOf(rows: string, merged: string[] = []): Buffer {
  const sheet = `<worksheet xmlns="${MAIN}"><dimension ref="A1:XFD1048576"/>
    <sheetData>${rows}</sheetData>
    <mergeCells>${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>
  </worksheet>`
  const archive = CFB.utils.cfb_new()
  for (const [path, xml] of Object.entries({
    ...PARTS,
    'xl/worksheets/sheet1.xml': sheet,
  })) {
    CFB.utils.cfb_add(archive, path, Buffer.from(xml))
  }
  return CFB.write(archive, { type: 'buffer', fileType: 'zip', compression: true })
}

/**
 * An XLSX file with a sheet of rows of cells. An empty text leaves a cell out, so it is for the end
 * of a row.
 */
export const xlsx = (rows: string[][], merged: string[] = []) =>
  xlsxOf(
    rows.map((cells) => `<row>${cells.map(cellXml).join('')}</row>`).join(''),
    merged,
  )

/** An XLS file of Excel 95 with a name, whose characters stand for bytes. */
export function excel95(name: string): Buffer {
  const placeholder = 'x'.repeat(name.length)
  const workbook = utils.book_new(utils.aoa_to_sheet([['Nome'], [placeholder]]))
  const file: Buffer = write(workbook, { type: 'buffer', bookType: 'biff5' })
  return Buffer.from(file.toString('latin1').replace(placeholder, name), 'latin1')
}

/** An XLSX file with one sheet, which is hidden. */
export function hiddenSheet(): Buffer {
  const workbook = utils.book_new(utils.aoa_to_sheet([['Nome'], ['Ana']]))
  workbook.Workbook = { Sheets: [{ Hidden: 1 }] }
  return write(workbook, { type: 'buffer', bookType: 'xlsx' })
}
