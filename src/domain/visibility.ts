/** A control character, a line separator, or half of a surrogate pair, which no database could return. */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** A character that shows: also a Hangul filler is a letter to Unicode, and U+2800 a Braille pattern, but neither does. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Without width, or there to turn the direction of what surrounds it. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}/u

/**
 * Hidden characters that belong to a visible one: what selects the variant of an emoji or an ideograph, and the joiners
 * inside an emoji or between letters of a script that needs them, as Persian and the languages of India do.
 */
const VARIANT = /(?<=[\p{Emoji}\p{Script=Han}])\p{Variation_Selector}/u
const EMOJI_JOINER =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}])\u200d(?=\p{Extended_Pictographic})/u
const JOINERLESS = '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Inherited}'
const SCRIPT_JOINER = new RegExp(
  `(?<=[\\p{L}\\p{M}])(?<![${JOINERLESS}])[\\u200c\\u200d](?=\\p{L})(?![${JOINERLESS}])`,
  'u',
)
const NEEDED = new RegExp([VARIANT, EMOJI_JOINER, SCRIPT_JOINER].map(({ source }) => source).join('|'), 'gu')

/** Whether a reader would see anything of a text. */
export const isVisible = (text: string) => VISIBLE.test(text)

/** Whether a text is none: nothing of it shows, and nothing in it is a mistake to report. */
export const isBlank = (text: string) => !UNPRINTABLE.test(text) && !isVisible(text)

/** Whether a text holds characters that a reader does not see, other than those its visible ones need. */
export const hasHiddenCharacters = (text: string) => HIDDEN.test(text.replace(NEEDED, ''))
