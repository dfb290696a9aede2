import { join } from 'node:path'
import {
  FLAG,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
  unreadable,
} from '../lib/command-line.ts'
import { readSecret, refuseExisting, writePrivately } from '../lib/private-file.ts'
import { showProgress } from '../lib/prompts.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import { headingOf, TEMPLATE_COLUMNS } from './spreadsheets/columns.ts'
import { printCsv, toCsv } from './spreadsheets/csv.ts'
import { decide } from './spreadsheets/deciding/decisions.ts'
import { toEntries } from './spreadsheets/deciding/people.ts'
import { carryOut, type Outcomes } from './spreadsheets/importing.ts'
import { readSpreadsheet } from './spreadsheets/reading/file.ts'
import { type Table, toTable } from './spreadsheets/reading/table.ts'
import { printReport, toRefusedCsv } from './spreadsheets/report.ts'
import { readState } from './spreadsheets/state.ts'

const USAGE = `Uso: npm run informers:import -- URL ARQUIVO --login EMAIL [--update]
       [--sheet NOME] [--refused ARQUIVO] [--dry-run]
     npm run --silent informers:import -- --template > modelo.csv
Cadastra os informantes de uma planilha (XLSX, XLS ou CSV) no serviço em URL, que termina em /v1.
Pode ser interrompido e repetido: ninguém é cadastrado duas vezes.
${LOGIN_USAGE}
  --update       altera quem já está no cadastro; célula vazia não altera nada,
                 e quem mudou no serviço desde a exportação fica como está
                 (sem a coluna "Atualizado em", valem os valores do arquivo)
  --sheet        a planilha do arquivo; sem ela, a primeira que não está oculta
  --refused      escreve as linhas recusadas, com os motivos, em um CSV
  --dry-run      só diz o que faria, linha por linha
  --template     escreve um CSV vazio com as colunas a preencher`

/** For the keys of creations, the same in every run on this machine. */
const KEY_FILE = join(import.meta.dirname, '../../exports/.import-key')

const isTemplate = process.argv.includes('--template')
const command = {
  verb: 'importar',
  usage: USAGE,
  options: {
    ...LOGIN_OPTIONS,
    update: FLAG,
    'dry-run': FLAG,
    template: FLAG,
    sheet: TEXT,
    refused: TEXT,
  },
  arguments: isTemplate ? [] : ['URL', 'ARQUIVO'],
  language: 'pt',
} as const

await runCommand(command, async (values, [url = '', file = '']) => {
  if (isTemplate) return printCsv(toCsv([TEMPLATE_COLUMNS.map(headingOf)]))

  const refusedFile = values.refused && resolveFromCallerCwd(values.refused)
  if (refusedFile) refuseExisting(refusedFile)

  const table = await readTable(file, values.sheet)
  const service = await authenticate(url, values, ['informers:write'])
  const state = await readState(service)
  const entries = toEntries(table.rows, state)
  const decisions = decide(entries, state, values)

  const dryRun = values['dry-run']
  const outcomes: Outcomes = new Map(dryRun ? decisions : [])
  const progress = showProgress(entries.length)
  try {
    if (!dryRun) {
      const secret = readSecret(KEY_FILE)
      await carryOut(decisions, {
        service,
        secret,
        outcomes,
        onProgress: progress.advance,
      })
    }
  } finally {
    progress.stop()
    const isDone = printReport({ table, entries, outcomes, dryRun })
    if (!isDone) process.exitCode = 1
    const refused = refusedFile && toRefusedCsv(table, entries, outcomes)
    if (refused) writePrivately(refusedFile, refused)
  }
})

async function readTable(file: string, sheet: string | undefined): Promise<Table> {
  const path = resolveFromCallerCwd(file)
  const rows = await readSpreadsheet(path, sheet).catch((error) => {
    throw unreadable(file, error)
  })
  return toTable(rows)
}
