import { isUtf8 } from 'node:buffer'

/** The text of a file, and whether its encoding lacks letters that names have. */
type Decoded = { text: string; isWindows1252: boolean }

/**
 * Decodes UTF-16 with its mark, UTF-8, or the encoding of a Brazilian Windows.
 * @throws {Error} if the file is not text, or mixes UTF-8 with another encoding
 */
export function decode(bytes: Uint8Array): Decoded {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes)
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes)
  if (bytes.includes(0)) throw new Error('o arquivo não é uma planilha')

  const utf8 = decodeAs('utf-8', bytes)
  if (isUtf8(bytes)) return utf8

  const isMixed = /[^\0-\x7F\uFFFD]/.test(utf8.text)
  if (!isMixed) return { ...decodeAs('windows-1252', bytes), isWindows1252: true }

  const line = utf8.text.split('\n').findIndex((text) => text.includes('\uFFFD')) + 1
  throw new Error(`a linha ${line} não está em UTF-8, como o resto do arquivo`)
}

function decodeAs(encoding: string, bytes: Uint8Array): Decoded {
  return { text: new TextDecoder(encoding).decode(bytes), isWindows1252: false }
}
