import { readFile } from 'node:fs/promises'
import {
  FLAG,
  printable,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
  unreadable,
} from '../lib/command-line.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import { DEMO_PASSWORD } from './provisioning/demo.ts'
import {
  type Document,
  DocumentError,
  parseDocument,
  parseJson,
} from './provisioning/document.ts'
import { authenticate, LOCAL_URL, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import { isApiToken, type Scope } from '#domain/api-tokens.ts'
import { isLoopback } from '#settings.ts'

const USAGE = `Uso: npm run provision -- ARQUIVO [--url URL] --login EMAIL [--dry-run]
Cadastra o que um documento JSON tem e falta no serviço, e diz em que os dois diferem.
Pode ser interrompido e repetido: nada é cadastrado duas vezes.
Código de saída: 0, nada foi recusado e nada difere; 1, algo foi recusado ou falhou; 2, algo difere.
  --url          o serviço, que termina em /v1; sem ela, ${LOCAL_URL}
${LOGIN_USAGE}
  --dry-run      só diz o que faria`

const REFUSED = 1
const DIFFERENT = 2

const command = {
  verb: 'provisionar',
  usage: USAGE,
  options: {
    url: { ...TEXT, default: LOCAL_URL },
    ...LOGIN_OPTIONS,
    'dry-run': FLAG,
  },
  arguments: ['ARQUIVO'],
  language: 'pt',
} as const

/** The scopes that an API token needs to create the parts of a document. */
const SCOPES: [scope: Scope, parts: (keyof Document)[]][] = [
  ['lists:write', ['categories', 'treatment_pronouns', 'dioceses']],
  ['informers:write', ['processes']],
  ['changelogs:write', ['changelogs']],
]

await runCommand(command, async ({ url, 'dry-run': dryRun, ...login }, [file = '']) => {
  const text = await readFile(resolveFromCallerCwd(file), 'utf8').catch((error) => {
    throw unreadable(file, error)
  })
  const document = parseDocument(parseJson(text))
  if (!isLoopback(url)) refuseDemoPassword(document)

  const scopes = SCOPES.flatMap(([scope, parts]) =>
    parts.some((part) => document[part].length > 0) ? scope : [],
  )
  const service = await authenticate(url, login, scopes)
  if (isApiToken(service.token ?? '')) refuseAdministrators(document)
  printReport(await applyDocument(service, document, dryRun))
  if (dryRun) console.log('Foi só uma simulação: nada foi enviado.')
})

/** API tokens cannot manage logins. */
function refuseAdministrators({ administrators }: Document): void {
  if (administrators.length === 0) return
  throw new DocumentError([
    'administrators: um token de API não cadastra administradores; use --login',
  ])
}

/** The README publishes this password, so it must not protect real data. */
function refuseDemoPassword({ administrators }: Document): void {
  const at = administrators.findIndex(({ password }) => password === DEMO_PASSWORD)
  if (at < 0) return
  throw new DocumentError([
    `administrators[${at}].password: é a senha publicada dos dados de demonstração`,
  ])
}

/** Prints a line per table with rows in the document, then differences and refusals. */
function printReport({ counts, differences, refusals }: Report): void {
  printRow('tabela', 'criados', 'iguais', 'diferentes')
  for (const [table, { added, unchanged, differing }] of counts) {
    printRow(table, added, unchanged, differing)
  }
  if (differences.length > 0) {
    printLines('Ficam como estão no serviço:', differences)
    process.exitCode = DIFFERENT
  }
  if (refusals.length > 0) {
    printLines('Recusados:', refusals)
    process.exitCode = REFUSED
  }
}

function printRow(table: string, ...cells: unknown[]): void {
  const columns = cells.map((cell) => String(cell).padStart(12))
  console.log(`${columns.join('')}  ${table}`)
}

function printLines(...lines: [heading: string, lines: string[]]): void {
  console.error(lines.flat().map(printable).join('\n'))
}
