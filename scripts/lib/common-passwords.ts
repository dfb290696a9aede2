import { dictionary } from '@zxcvbn-ts/language-common'
import { fold } from '#domain/folding.ts'
import { password } from '#http/request/person-fields.ts'

/** As many as fit into 16 KiB, gzipped. */
const COUNT = 4500

/**
 * Returns the most common passwords that, with a capital letter, would pass the rules; folded.
 * zxcvbn orders them by frequency in leaks; sorted, they take less space.
 */
export function commonPasswords(): string[] {
  const folded = new Set(dictionary['passwords-common'].map(fold))
  return [...folded].filter(isAllowedWithCapital).slice(0, COUNT).sort()
}

function isAllowedWithCapital(word: string): boolean {
  const capitalized = word.replace(/\p{Ll}/u, (letter) => letter.toUpperCase())
  return password.safeParse(capitalized).success
}
