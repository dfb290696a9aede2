import { readFileSync } from 'node:fs'
import { COLUMNS, headingOf } from './import/columns.ts'
import { writeCsv } from './import/csv.ts'
import { importer, type Outcome } from './import/outcomes.ts'
import { type Entry, toEntries } from './import/rows.ts'
import { readSpreadsheet } from './import/spreadsheet.ts'
import { FLAG, printable, resolveFromCallerCwd, runCommand, TEXT } from './lib/command-line.ts'
import { forEachConcurrently } from './lib/concurrency.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE_PT } from './lib/login.ts'
import { showProgress } from './lib/prompts.ts'
import { readState } from './provisioning/state.ts'

const USAGE = `Uso: npm run informers:import -- URL ARQUIVO --login EMAIL [--update] [--recreate] [--sheet NOME] [--dry-run]
     npm run --silent informers:import -- --template > modelo.csv
Cadastra os informantes de uma planilha (XLSX ou CSV) no serviço em URL, que termina em /v1.
Pode ser interrompido e repetido: ninguém é cadastrado duas vezes.
${LOGIN_USAGE_PT}
  --update       altera quem já está no cadastro; célula vazia não altera nada
  --recreate     cadastra de novo quem foi excluído há menos de uma semana
  --sheet        a planilha do arquivo XLSX; sem ela, a primeira
  --dry-run      só diz o que faria
  --template     escreve um CSV vazio com todas as colunas`

const changes = { update: FLAG, recreate: FLAG, 'dry-run': FLAG }
const options = { ...LOGIN_OPTIONS, ...changes, template: FLAG, sheet: TEXT } as const
const names = process.argv.includes('--template') ? [] : ['URL', 'ARQUIVO']
const command = {
  verb: 'importar',
  usage: USAGE,
  options,
  arguments: names,
  language: 'pt',
} as const

const SUMMARY: Record<Outcome['kind'], string> = {
  created: 'Cadastrados',
  known: 'Já conhecidos',
  changed: 'Alterados',
  deleted: 'Excluídos antes, e não cadastrados de novo',
  refused: 'Recusados',
}

await runCommand(
  command,
  async ({ template, sheet, 'dry-run': dryRun, ...values }, [url = '', file = '']) => {
    if (template)
      return writeCsv([
        COLUMNS.filter((column) => column !== 'questionnaire_status').map(headingOf),
      ])
    const entries = toEntries(await readSpreadsheet(readFileOf(file), sheet))
    const service = await authenticate(url, values)
    const state = await readState(service, { informers: entries as never[] })
    const importEntry = importer(service, state, { ...values, dryRun })
    const outcomes = new Map<Entry, Outcome>()
    const progress = showProgress(entries.length)
    try {
      await forEachConcurrently(entries, async (entry) => {
        outcomes.set(entry, await importEntry(entry))
        progress.advance()
      })
    } finally {
      progress.stop()
      report(entries, outcomes)
      if (dryRun) console.log('Foi só uma simulação: nada foi enviado.')
    }
  },
)

function readFileOf(file: string): Uint8Array {
  try {
    return readFileSync(resolveFromCallerCwd(file))
  } catch (error) {
    throw new Error(
      `o arquivo ${file} não pode ser lido (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

/** Prints what there is to say of each person, by line, and how many were created, known, changed and refused. */
function report(entries: Entry[], outcomes: Map<Entry, Outcome>): void {
  for (const entry of entries)
    for (const message of [...entry.notes, ...(outcomes.get(entry)?.messages ?? [])])
      console.log(printable(`linha ${entry.lines.join(', ')}, ${entry.name}: ${message}`))
  const kinds = [...outcomes.values()].map(({ kind }) => kind)
  const count = (kind: Outcome['kind']) => kinds.filter((other) => other === kind).length
  for (const [kind, label] of Object.entries(SUMMARY))
    console.log(`${label}: ${count(kind as Outcome['kind'])}`)
  if ([...outcomes.values()].some(({ kind, messages }) => kind === 'known' && messages.length > 0))
    console.log('Para alterar quem já era conhecido: --update.')
  if (count('deleted') > 0) console.log('Para cadastrar de novo quem foi excluído: --recreate.')
  if (count('refused') === 0) return
  console.log(
    'Corrija as linhas recusadas e importe o arquivo inteiro de novo: ninguém é cadastrado duas vezes.',
  )
  process.exitCode = 1
}
