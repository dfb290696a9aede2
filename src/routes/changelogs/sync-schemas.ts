import * as z from 'zod/mini'
import { commitHash, version } from './schemas.ts'
import { ISO_8601, parseDateTime } from '#domain/timestamps.ts'
import { requiredString } from '#http/request/fields.ts'

const MAX_COMMITS = 1000
const DATE_MESSAGE = 'A data do commit deve seguir a ISO 8601.'

const date = z.pipe(
  requiredString('A data do commit é obrigatória.', DATE_MESSAGE).check(
    z.regex(ISO_8601, DATE_MESSAGE),
    z.refine((text) => parseDateTime(text) !== null, DATE_MESSAGE),
    z.describe('ISO 8601; sem fuso, é UTC.'),
  ),
  z.transform((text) => parseDateTime(text) as Date), // parsed above
)

const commit = z.object(
  {
    hash: commitHash,
    message: requiredString(
      'A mensagem do commit é obrigatória.',
      'A mensagem do commit deve ser um texto.',
    ).check(z.describe('A mensagem inteira: o assunto e o corpo.')),
    date,
    version: z
      .nullish(version)
      .check(z.describe('Como `v1.2.0`; sem ela, a próxima versão.')),
  },
  'Cada commit deve ser um objeto.',
)

const commits = z.array(commit, 'Os commits devem ser uma lista.').check(
  z.meta({
    maxItems: MAX_COMMITS,
    description: 'Em qualquer ordem; sem eles, importa do repositório configurado.',
  }),
)

/** Checks the number of commits before each of them. */
const checkCommits = z.transform((items: z.input<typeof commits>, { issues }) => {
  if (!Array.isArray(items)) return items
  for (const message of errorsOfCommits(items)) {
    issues.push({ code: 'custom', message, input: items })
  }
  return items
})

/** Returns the errors of commits, each with the position and hash of its commit. */
function errorsOfCommits(items: unknown[]): string[] {
  if (items.length > MAX_COMMITS) return ['Envie no máximo 1.000 commits por vez.']
  const found: string[] = []
  for (const [index, item] of items.entries()) {
    const { error } = commit.safeParse(item)
    for (const { message } of error?.issues ?? []) {
      found.push(`${nameOf(item, index)}: ${message}`)
    }
  }
  return found
}

const withHash = z.object({ hash: commitHash })

function nameOf(item: unknown, index: number): string {
  const { data } = withHash.safeParse(item)
  const position = `Commit ${index + 1}`
  return data ? `${position} (${data.hash})` : position
}

/** The body of POST /changelogs/sync-from-git. */
export const syncBody = z.object({
  commits: z.nullish(z.pipe(checkCommits, commits)),
})

export type SentCommit = z.infer<typeof commit>
