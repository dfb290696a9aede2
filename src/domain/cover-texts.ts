import { fold } from './folding.ts'

/** The confidentiality lines of a group. */
export type CoverLines = { line_1: string | null; line_2: string | null }

/**
 * The lines of a group, whose name is compared without case and accents; null if not configured.
 */
export function coverTextsOf(
  texts: Record<string, CoverLines>,
  group: string,
): CoverLines {
  const name = fold(group)
  const [, lines] =
    Object.entries(texts).find(([configured]) => fold(configured) === name) ?? []
  return lines ?? { line_1: null, line_2: null }
}
