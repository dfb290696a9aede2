import { unicodePattern } from './unicode-pattern.ts'

/**
 * A control character, a line separator, or a lone surrogate, which the database could not store.
 */
export const CONTROL_CHARACTER = /[^ -~\u00A0-\u2027\u202A-\uD7FF\uE000-\u{10FFFF}]/u

/** Format characters, except the joiners that some scripts need between letters. */
const formatCharacters = unicodePattern(String.raw`[^\P{Cf}\u200C\u200D]`, 'gu')

export const withoutFormatCharacters = (text: string) =>
  text.replace(formatCharacters(), '')

const tooManyMarks = unicodePattern(String.raw`\p{M}{31}`)

/**
 * Returns whether a text can be normalized in linear time: it has at most 30 combining marks in a
 * row (UAX #15, Stream-Safe Text Format).
 */
export const isStreamSafe = (text: string) => !tooManyMarks().test(text)

/**
 * A visible character. Unicode counts Hangul fillers as letters and U+2800 as a Braille pattern,
 * but both are blank.
 */
const visibleCharacter = unicodePattern(
  String.raw`[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]`,
)

/** Returns whether a text has a visible character. */
export const isVisible = (text: string) => visibleCharacter().test(text)

/** Returns whether a text has neither visible nor control characters. */
export const isBlank = (text: string) => !CONTROL_CHARACTER.test(text) && !isVisible(text)
