import { CommitParser } from 'conventional-commits-parser'
import { type ChangelogCategory, MAX_DESCRIPTION, MAX_TITLE } from './changelog.ts'

/** A commit as git tells it. */
export type Commit = {
  /** 7 to 64 hex digits in lower case */
  hash: string
  message: string
  /** When it was committed. */
  date: Date
  tags: string[]
  /** The hashes of its parents; empty where they are not known. */
  parents: string[]
}

/** What a message says of a change. */
export type ParsedMessage = {
  category: ChangelogCategory
  title: string
  description: string
  isFeature: boolean
  isBreaking: boolean
}

/** The header and the breaking footer of Conventional Commits 1.0.0 (items 1 to 5, 12 to 16). */
const PARSER_OPTIONS = {
  headerPattern: /^(?<type>[\p{L}\d_-]+)(?:\((?<scope>[^()]*)\))?(?<breaking>!)?: +(?<subject>\S.*)$/u,
  headerCorrespondence: ['type', 'scope', 'breaking', 'subject'],
  noteKeywords: ['BREAKING CHANGE', 'BREAKING-CHANGE'],
  notesPattern: (keywords: string) => new RegExp(`^(${keywords})(?:: | #)(.*)`),
}

const CATEGORY_OF_TYPE: Record<string, ChangelogCategory> = {
  feat: 'Nova Funcionalidade',
  fix: 'Correção',
  perf: 'Melhoria',
  refactor: 'Melhoria',
  style: 'Melhoria',
}

/** What git, and the hosts that merge for it, write for a merge. */
const MERGE_MESSAGE = /^Merge (?:(?:remote-tracking )?branch(?:es)? '|tags? '|commits? '|pull request #\d+ )/

export function isMerge({ message, parents }: Pick<Commit, 'message' | 'parents'>): boolean {
  return parents.length > 1 || MERGE_MESSAGE.test(message.trimStart())
}

/**
 * Reads a message by Conventional Commits 1.0.0. The type counts without case. Footers are no part of the
 * description: they name people. A message that follows no convention is an update named by its first line.
 */
export function parseMessage(message: string): ParsedMessage {
  const text = message.toWellFormed().replaceAll('\0', '').trim()
  const { header, type, subject, breaking, body, notes } = new CommitParser(PARSER_OPTIONS).parse(
    text || '(sem mensagem)',
  )
  const typeName = type?.toLowerCase() ?? ''
  const title = (subject ?? header ?? '').trim()
  return {
    category: (Object.hasOwn(CATEGORY_OF_TYPE, typeName) && CATEGORY_OF_TYPE[typeName]) || 'Atualização',
    title: cut(title, MAX_TITLE),
    description: cut(body?.trim() || title, MAX_DESCRIPTION),
    isFeature: typeName === 'feat',
    isBreaking: Boolean(breaking) || notes.length > 0,
  }
}

/** The first code points of a text. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('').trim()
}
