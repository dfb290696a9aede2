import { dictionary } from '@zxcvbn-ts/language-common'
import { fold } from '../../src/domain/folding.ts'
import { password } from '../../src/http/person-fields.ts'

/** So many fit into 16 KiB, gzipped. */
const COUNT = 4500

/**
 * The most common passwords that the rules let through with some capital letter, folded. The list
 * of zxcvbn has them by how often they were in leaks; sorted, they take less space.
 */
export function commonPasswords(): string[] {
  const folded = new Set(dictionary['passwords-common'].map(fold))
  return [...folded].filter(isAllowedWithCapital).slice(0, COUNT).sort()
}

function isAllowedWithCapital(word: string): boolean {
  const capitalized = word.replace(/\p{Ll}/u, (letter) => letter.toUpperCase())
  return password.safeParse(capitalized).success
}
