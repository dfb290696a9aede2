import { FLAG, printable, runCommand, TEXT } from '../lib/command-line.ts'
import { readInputFile } from '../lib/input-file.ts'
import { applyDocument, type Report } from './provisioning/apply.ts'
import { type Document, parseDocument } from './provisioning/document.ts'
import { authenticate, LOCAL_URL, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import type { Scope } from '#domain/api-tokens.ts'

const USAGE = `Uso: npm run provision -- ARQUIVO [--url URL] --login EMAIL [--dry-run]
Cadastra o que um documento JSON tem e falta no serviço: listas, processos, grupos e questionários.
Não altera nada. Pode ser interrompido e repetido: nada é cadastrado duas vezes.
  --url          o serviço, que termina em /v1; sem ela, ${LOCAL_URL}
${LOGIN_USAGE}
  --dry-run      só diz o que faria`

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

await runCommand(command, async ({ url, 'dry-run': dryRun, ...login }, [file = '']) => {
  const document = parseDocument(readInputFile(file))
  const service = await authenticate(url, login, scopesOf(document))
  printReport(await applyDocument(service, document, dryRun))
  if (dryRun) console.log('Foi só uma simulação: nada foi enviado.')
})

/** Returns the scopes that an API token needs to create the parts of a document. */
function scopesOf({ processes, ...lists }: Document): Scope[] {
  const hasLists = Object.values(lists).some(({ length }) => length > 0)
  return [
    ...(hasLists ? ['lists:write' as const] : []),
    ...(processes.length > 0 ? ['informers:write' as const] : []),
  ]
}

/** Prints a line per table with rows in the document, then refusals. */
function printReport({ counts, refusals }: Report): void {
  printRow('tabela', 'criados', 'existentes')
  for (const [table, { created, known }] of counts) {
    printRow(table, created, known)
  }
  if (refusals.length === 0) return
  console.error(['Recusados:', ...refusals.map(printable)].join('\n'))
  process.exitCode = 1
}

function printRow(table: string, ...cells: unknown[]): void {
  const columns = cells.map((cell) => String(cell).padStart(12))
  console.log(`${columns.join('')}  ${table}`)
}
