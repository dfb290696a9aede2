/** What stands at a place of all pictures of a kind. */
const PICTURES: [place: number, mark: string][] = [
  [0, '\x89PNG'],
  [0, '\xff\xd8\xff'],
  [0, 'GIF8'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
  [4, 'ftyp'],
  [8, 'WEBP'],
]

/** XLS, or an encrypted XLSX, which has this entry (MS-OFFCRYPTO, 2.1). */
const COMPOUND_FILE = '\xd0\xcf\x11\xe0'
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/**
 * @throws if a file is not a spreadsheet, or of a kind that is not read, as far as its bytes show
 */
export function refuseOtherFormats(bytes: Buffer): void {
  const head = bytes.subarray(0, 200).toString('latin1')
  const isCompound = head.startsWith(COMPOUND_FILE)
  const isOpenDocument = head.startsWith('PK') && head.includes('opendocument')
  const isPicture = PICTURES.some(([place, mark]) => head.startsWith(mark, place))

  if (head.startsWith('%PDF')) {
    throw new Error('o arquivo é um PDF: salve a planilha como XLSX ou CSV')
  }
  if (isPicture) {
    throw new Error('o arquivo é uma imagem, e não uma planilha')
  }
  if (isCompound && bytes.includes(ENCRYPTED_PACKAGE)) {
    throw new Error('a planilha está protegida por senha: salve-a sem senha')
  }
  if (isCompound || isOpenDocument) {
    throw new Error(
      'este formato (ODS ou XLS) não é lido: salve a planilha como XLSX ou CSV',
    )
  }
}
