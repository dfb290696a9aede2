/**
 * A control character, a line separator, or a lone surrogate, which the database could not store.
 * Ranges, because V8 would look each `\p{…}` up in the tables of Unicode at every start.
 */
export const CONTROL_CHARACTER = /[^ -~\u00A0-\u2027\u202A-\uD7FF\uE000-\u{10FFFF}]/u

/** Removes format characters, except the joiners that some scripts need between letters. */
export const withoutFormatCharacters = (text: string) =>
  text.replace(/[^\P{Cf}\u200C\u200D]/gu, '')

/**
 * Returns whether a text can be normalized in linear time: it has at most 30 combining marks in a
 * row (UAX #15, Stream-Safe Text Format).
 */
export const isStreamSafe = (text: string) => !/\p{M}{31}/u.test(text)

/**
 * A visible character. Unicode counts Hangul fillers as letters and U+2800 as a Braille pattern,
 * but both are blank.
 */
/** Returns whether a text has a visible character. */
export const isVisible = (text: string) =>
  /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

/** Returns whether a text has neither visible nor control characters. */
export const isBlank = (text: string) => !CONTROL_CHARACTER.test(text) && !isVisible(text)
