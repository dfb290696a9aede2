import * as z from 'zod/mini'
import { commitHash, version } from './schemas.ts'
import { ISO_8601, parseDateTime } from '#domain/timestamps.ts'
import { RELEASE_TYPES } from '#domain/versions.ts'
import { crossFieldRule, maxItems, requiredString } from '#http/request/fields.ts'

const MAX_COMMITS = 1000
const MAX_TAGS = 10_000
/** Of one commit. The largest merge of Linux has 66. */
const MAX_PARENTS = 100
const DATE_MESSAGE = 'A data do commit deve seguir a ISO 8601.'
const TAGS_MESSAGE = 'As tags devem ser uma lista de textos.'
const BUMP_MESSAGE = `O campo bump deve ser um destes: ${RELEASE_TYPES.join(', ')}.`

/** A list of texts as sent, with one error for the whole list. */
function texts(message: string, description: string) {
  return z
    .custom<string[]>((value) => Array.isArray(value) && value.every(isText), message)
    .check(z.meta({ type: 'array', items: { type: 'string' }, description }))
}

const isText = (value: unknown) => typeof value === 'string'

const date = z.pipe(
  requiredString('A data do commit é obrigatória.', DATE_MESSAGE).check(
    z.regex(ISO_8601, DATE_MESSAGE),
    z.refine((text) => parseDateTime(text) !== null, DATE_MESSAGE),
    z.describe('ISO 8601; sem fuso, em UTC.'),
  ),
  z.transform((text) => parseDateTime(text) as Date), // parsed above
)

/** The hashes of the parents in lower case, each once. */
const parents = z
  .pipe(
    texts(
      'Os pais devem ser uma lista de textos.',
      'Os hashes dos pais; um commit com dois é um merge, que é pulado.',
    ),
    z.transform((hashes) => [...new Set(hashes.map((hash) => hash.toLowerCase()))]),
  )
  .check(z.maxLength(MAX_PARENTS, 'Envie no máximo 100 pais por commit.'))

const commit = z.object(
  {
    hash: commitHash,
    message: requiredString(
      'A mensagem do commit é obrigatória.',
      'A mensagem do commit deve ser um texto.',
    ).check(z.describe('Inteira: o assunto e o corpo.')),
    date,
    tags: z.nullish(texts(TAGS_MESSAGE, 'As tags deste commit.')),
    version: z
      .nullish(version)
      .check(z.describe('A versão do registro; sem ela, a das tags, ou a próxima.')),
    parents: z.nullish(parents),
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

type SentFields = {
  commits?: unknown
  tags?: unknown
  bump?: unknown
}

/** The body of POST /changelogs/sync-from-git. */
export const syncBody = z
  .object({
    commits: z.nullish(z.pipe(checkCommits, commits)),
    tags: z.nullish(
      maxItems(
        MAX_TAGS,
        'Envie no máximo 10.000 tags por vez.',
        texts(TAGS_MESSAGE, 'As do repositório além das dos commits enviados.'),
      ),
    ),
    bump: z.nullish(
      z
        .enum(RELEASE_TYPES, BUMP_MESSAGE)
        .check(
          z.describe(
            'O mínimo que a próxima versão sobe, quando um histórico pede várias chamadas.',
          ),
        ),
    ),
  })
  .check(
    crossFieldRule<SentFields>(
      ['commits'],
      ({ commits, tags, bump }) => commits != null || (tags ?? bump) == null,
      'Envie as tags e o bump com os commits a que se referem.',
      'commits',
    ),
  )

export type SyncBody = z.infer<typeof syncBody>
export type SentCommit = z.infer<typeof commit>
