import { fold } from './folding.ts'
import { fullName, spacesAndDashes } from './names.ts'
import { unicodePattern } from './unicode-pattern.ts'

/** The owner of a password, as far as known. */
export type PasswordOwner = {
  first_name?: string | undefined
  last_name?: string | null | undefined
  email?: string | null | undefined
}

/** Shorter words occur in too many passwords. */
const MIN_LETTERS = 4

/**
 * Returns whether a password is easy to guess: it is common, or contains a word of the owner's name
 * or the part of their email before the `@`, ignoring case and accents.
 * @param commonPasswords as `fold` gives them
 */
export function isGuessable(
  password: string,
  owner: PasswordOwner,
  commonPasswords: ReadonlySet<string>,
): boolean {
  const folded = fold(password)
  const holdsWord = wordsOf(owner).some((word) => folded.includes(word))
  return holdsWord || commonPasswords.has(folded)
}

const noLettersOrDigits = unicodePattern(String.raw`[^\p{L}\p{N}]+`)

/** Returns the folded words that a person's password must not contain. */
function wordsOf({ first_name = '', last_name = null, email }: PasswordOwner): string[] {
  const name = fold(fullName({ first_name, last_name }))
  // `Maria Sant'Ana` has the word `sant'ana`, and `sant` in it
  const words = [...name.split(spacesAndDashes()), ...name.split(noLettersOrDigits())]
  const localPart = fold(email ?? '').replace(/@[^@]*$/, '')
  return [...words, localPart].filter(isLong)
}

const letters = unicodePattern(String.raw`\p{L}`, 'gu')

const isLong = (word: string) => (word.match(letters()) ?? []).length >= MIN_LETTERS
