import { Parser } from 'saxen'
import { LimitError } from './limits.ts'

/** The value of an attribute of an element. */
export type Attribute = (name: string) => string | undefined

/** The events of a document. Names come without the namespace prefix, which some writers use. */
export type XmlHandlers = {
  open?: (name: string, attribute: Attribute) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/**
 * Beyond these it is not a spreadsheet, whose cells have 32,767 characters at most; and parsing
 * would take ever longer.
 */
const MAX_DEPTH = 100
const MAX_TEXT_LENGTH = 100_000

function checkLength(length: number): void {
  if (length > MAX_TEXT_LENGTH)
    throw new LimitError('a planilha tem um texto longo demais')
}

/**
 * Parses an XML document in UTF-8, piece by piece. `write` and `end` throw where it is not
 * well-formed.
 */
export function xmlParser(handlers: XmlHandlers) {
  const decoder = new TextDecoder()
  const parser = new Parser()
  let depth = 0
  let lengthSinceTag = 0

  parser.on('openTag', (name, attributes, decode) => {
    depth += 1
    lengthSinceTag = 0
    if (depth > MAX_DEPTH) throw new Error('too deep')
    handlers.open?.(localName(name), (wanted) => {
      const values = attributes()
      const value = values[wanted] ?? findPrefixed(values, wanted)
      return value && decode(value)
    })
  })
  parser.on('text', (text, decode) => {
    checkLength(text.length)
    handlers.text?.(decode(text))
  })
  parser.on('cdata', (text) => handlers.text?.(text))
  parser.on('closeTag', (name) => {
    depth -= 1
    lengthSinceTag = 0
    handlers.close?.(localName(name))
  })

  return {
    write(piece: Uint8Array): void {
      const text = decoder.decode(piece, { stream: true })
      lengthSinceTag += text.length
      parser.write(text)
      checkLength(lengthSinceTag)
    },
    end: () => parser.end(),
  }
}

function findPrefixed(
  values: Record<string, string>,
  wanted: string,
): string | undefined {
  for (const name in values) if (name.endsWith(`:${wanted}`)) return values[name]
  return undefined
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)
