/** A control character, a line separator, or a lone surrogate, which the database could not store. */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** A visible character. Unicode counts Hangul fillers as letters and U+2800 as a Braille pattern, but both are blank. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** A zero-width character, a direction control, or an interlinear annotation (Unicode, 23.8). */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u

/**
 * Hidden characters that belong to a visible one: variation selectors of emoji and ideographs, and joiners inside an
 * emoji or between letters of scripts that need them, such as Persian and Indic scripts.
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

/** Whether a text has a visible character. */
export const isVisible = (text: string) => VISIBLE.test(text)

/** Whether a text has neither visible nor invalid characters. */
export const isBlank = (text: string) => !UNPRINTABLE.test(text) && !isVisible(text)

/** Whether a text has hidden characters that its visible ones do not need. Few have any, and `NEEDED` is slow. */
export const hasHiddenCharacters = (text: string) =>
  HIDDEN.test(text) && HIDDEN.test(text.replace(NEEDED, ''))
