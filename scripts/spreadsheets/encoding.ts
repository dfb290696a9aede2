type Decoded = {
  text: string
  isWindows1252: boolean
}

/**
 * Decodes UTF-8, or else the encoding of a Brazilian Windows. A byte order mark decides, and is
 * removed.
 */
export function decode(bytes: Buffer): Decoded {
  try {
    const decoder = new TextDecoder(unicodeOf(bytes), { fatal: true, ignoreBOM: false })
    return { text: decoder.decode(bytes), isWindows1252: false }
  } catch {
    const decoder = new TextDecoder('windows-1252')
    return { text: decoder.decode(bytes), isWindows1252: true }
  }
}

function unicodeOf(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('latin1')
  if (mark === '\xff\xfe') return 'utf-16le'
  if (mark === '\xfe\xff') return 'utf-16be'
  return 'utf-8'
}
