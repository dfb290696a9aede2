import * as z from 'zod/mini'

const line = z._default(z.nullable(z.string('must be a text or null')), null)

/** The setting `COVER_TEXTS`: the lines of confidentiality by the name of the group. An absent line is null. */
export const coverTextsSchema = z.record(
  z.string(),
  z.strictObject({ line_1: line, line_2: line }, 'must have line_1 and line_2 alone'),
  'must map the names of groups to their lines',
)

export type CoverTexts = z.infer<typeof coverTextsSchema>

/** The lines of one group; a group that the setting does not name has none. */
export function coverTextsOf(texts: CoverTexts, group: string): CoverTexts[string] {
  return (Object.hasOwn(texts, group) && texts[group]) || { line_1: null, line_2: null }
}
