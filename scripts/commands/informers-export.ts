import {
  FLAG,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
  UsageError,
} from '../lib/command-line.ts'
import { refuseExisting, writePrivately } from '../lib/private-file.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import { type Column, EXPORTED_COLUMNS, headingOf } from './spreadsheets/columns.ts'
import { printCsv, toCsv } from './spreadsheets/csv.ts'
import {
  type Informer,
  type Membership,
  nameOf,
  readInformers,
} from './spreadsheets/state.ts'
import { fold } from '#domain/folding.ts'

const USAGE = `Uso: npm run informers:export -- URL --login EMAIL --output ARQUIVO [--force]
       [--process P] [--group G] [--status S]
Escreve os informantes do serviço em URL, que termina em /v1, em um CSV que informers:import lê de volta:
uma linha para cada processo e grupo de uma pessoa. Senhas não são escritas.
${LOGIN_USAGE}
  --output       o arquivo, que só quem o escreve pode ler; sem ele, a saída padrão (npm run --silent …)
  --force        com --output: substitui um arquivo que já existe
  --process      só os de um processo (protocolo)
  --group        só os de um grupo (nome)
  --status       só Pendente, Em andamento ou Concluído`

const command = {
  verb: 'exportar',
  usage: USAGE,
  options: {
    ...LOGIN_OPTIONS,
    output: TEXT,
    force: FLAG,
    process: TEXT,
    group: TEXT,
    status: TEXT,
  },
  arguments: ['URL'],
  language: 'pt',
} as const

await runCommand(command, async (values, [url = '']) => {
  const { force, process, group, status: questionnaire_status } = values
  if (force && !values.output) throw new UsageError('--force só vale com --output')

  const output = values.output && resolveFromCallerCwd(values.output)
  if (output && !force) refuseExisting(output, ': para substituí-lo, --force')

  const service = await authenticate(url, values, ['informers:read'])
  const wanted = { process, group, questionnaire_status }
  const rows = toExportedRows(await readInformers(service), wanted)
  if (rows.length === 1) console.error('Ninguém foi exportado.') // only the headings

  const csv = toCsv(rows)
  if (output) writePrivately(output, csv)
  else printCsv(csv)
})

type Texts = Partial<Record<Column, string | null | undefined>>

/**
 * Returns the headings, and a row for each membership of an informer.
 * @param wanted texts that rows must have, ignoring case and accents
 */
function toExportedRows(informers: Informer[], wanted: Texts): string[][] {
  const rows = informers.flatMap(toRows).filter((row) => hasTexts(row, wanted))
  const cells = rows.map((row) =>
    EXPORTED_COLUMNS.map((column) => withoutControls(row[column] ?? '')),
  )
  return [EXPORTED_COLUMNS.map(headingOf), ...cells]
}

/** The service stores none; one that sends them would write to the terminal. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, '')
}

function hasTexts(row: Texts, wanted: Texts): boolean {
  const filters = Object.entries(wanted) as [Column, string | undefined][]
  return filters.every(
    ([column, text]) => !text || fold(withoutControls(row[column] ?? '')) === fold(text),
  )
}

function toRows(informer: Informer): Texts[] {
  const memberships = informer.processes_groups
  if (memberships.length === 0) return [toTexts(informer)]
  return memberships.map((membership) => toTexts(informer, membership))
}

function toTexts(informer: Informer, membership?: Membership): Texts {
  const { treatment_pronoun, category, diocese, cpf, ...fields } = informer
  return {
    ...fields,
    cpf: cpf?.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
    treatment_pronoun: nameOf(treatment_pronoun),
    category: nameOf(category),
    diocese: nameOf(diocese),
    process: membership?.process.protocol,
    group: membership?.group.name,
    questionnaire_status: membership?.questionnaire_status,
  }
}
