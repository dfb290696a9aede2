import { fold } from './folding.ts'

/** The confidentiality lines of a group. */
export type CoverLines = { line_1: string | null; line_2: string | null }

/** The lines of groups, by folded name. */
export type CoverTexts = ReadonlyMap<string, CoverLines>

const NO_LINES: CoverLines = { line_1: null, line_2: null }

/** Returns the lines of a group, ignoring case and accents of its name. */
export const coverTextsOf = (texts: CoverTexts, group: string): CoverLines =>
  texts.get(fold(group)) ?? NO_LINES
