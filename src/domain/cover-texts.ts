import * as z from 'zod/mini'
import { fold } from './folding.ts'

const line = z._default(z.nullable(z.string('must be a text or null')), null)

/** The setting `COVER_TEXTS`: confidentiality lines by group name. A missing line is null. */
export const coverTextsSchema = z.catchall(
  z.object({}, 'must map group names to their lines'),
  z.strictObject({ line_1: line, line_2: line }, 'must contain only line_1 and line_2'),
)

type CoverTexts = z.infer<typeof coverTextsSchema>

/** The lines of a group, whose name is compared without case and accents; null if not configured. */
export function coverTextsOf(texts: CoverTexts, group: string): CoverTexts[string] {
  const name = fold(group)
  const [, lines] = Object.entries(texts).find(([configured]) => fold(configured) === name) ?? []
  return lines ?? { line_1: null, line_2: null }
}
