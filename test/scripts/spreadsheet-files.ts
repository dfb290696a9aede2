import { strToU8, zipSync } from 'fflate'

const SPREADSHEETML = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONSHIPS =
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'

const WORKBOOK = `<workbook xmlns="${SPREADSHEETML}" xmlns:r="${RELATIONSHIPS}">
  <sheets><sheet name="Lista" sheetId="1" r:id="rId1"/></sheets>
</workbook>`

const WORKBOOK_RELATIONSHIPS = `<Relationships xmlns="${PACKAGE}">
  <Relationship Id="rId1" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet1.xml"/>
  <Relationship Id="rId2" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/>
</Relationships>`

/** Style 1 shows dates. */
const STYLES = `<styleSheet xmlns="${SPREADSHEETML}">
  <numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\/mm\\/yyyy"/></numFmts>
  <cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>
</styleSheet>`

/** The XML of a cell with a text, or of one as it is given: `<c …/>`. */
const cellXml = (cell: string) =>
  cell.startsWith('<c') || cell === ''
    ? cell
    : `<c t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`

/** The XML of rows of cells. An empty text leaves a cell out, so it is for the end of a row. */
export const rowsXml = (rows: string[][]) =>
  rows.map((cells) => `<row>${cells.map(cellXml).join('')}</row>`).join('')

/** The parts of an XLSX file with a sheet of rows. */
export const xlsxParts = (rows: string, merged: string[] = []) => ({
  'xl/workbook.xml': strToU8(WORKBOOK),
  'xl/_rels/workbook.xml.rels': strToU8(WORKBOOK_RELATIONSHIPS),
  'xl/styles.xml': strToU8(STYLES),
  'xl/worksheets/sheet1.xml': strToU8(
    `<worksheet xmlns="${SPREADSHEETML}"><dimension ref="A1:XFD1048576"/>
    <sheetData>${rows}</sheetData>
    <mergeCells>${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>
    </worksheet>`,
  ),
})

/** An XLSX file with a sheet of rows, and the ranges of its merged cells. */
export const xlsx = (rows: string[][], merged: string[] = []) =>
  zipSync(xlsxParts(rowsXml(rows), merged))
