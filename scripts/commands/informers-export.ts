import {
  FLAG,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
  UsageError,
} from '../lib/command-line.ts'
import { checkOutput, writePrivately } from '../lib/private-file.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import { readProcesses } from './service/processes.ts'
import type { Service } from './service/service-call.ts'
import { readPages } from './service/service-client.ts'
import { type Column, COLUMNS, headingOf, quote } from './spreadsheets/columns.ts'
import { printCsv, toCsv } from './spreadsheets/csv.ts'
import { type Informer, informerForm, nameOf } from './spreadsheets/state.ts'
import { QUESTIONNAIRE_STATUSES } from '#domain/completion.ts'
import { fold } from '#domain/folding.ts'

const USAGE = `Uso: npm run informers:export -- URL --login EMAIL --output ARQUIVO [--force]
       [--process P] [--group G] [--status S]
Escreve os informantes do serviço em URL, que termina em /v1, em um CSV que informers:import lê de
volta: uma linha para cada processo e grupo de uma pessoa. Senhas não são escritas.
${LOGIN_USAGE}
  --output       o arquivo, que só quem o escreve pode ler; sem ele, a saída padrão
                 (npm run --silent …)
  --force        com --output: substitui um arquivo que já existe
  --process      só os de um processo (protocolo)
  --group        só os de um grupo (nome)
  --status       só Pendente, Em andamento ou Concluído`

type Pair = Informer['processes_groups'][number]

const EXPORTED = COLUMNS.filter(
  (column) => column !== 'password' && column !== 'require_email_verification',
)

type Condition = (pair: Pair | undefined) => boolean

/** Maximum readings of everybody, if people change meanwhile. */
const MAX_READINGS = 5

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
  const { force } = values
  if (force && !values.output) throw new UsageError('--force só vale com --output')
  if (values.output && /\.xlsx$/i.test(values.output)) {
    throw new UsageError('--output é um CSV: dê-lhe um nome que termine em .csv')
  }
  const status = values.status && findStatus(values.status)

  const output = values.output && resolveFromCallerCwd(values.output)
  if (output) checkOutput(output, force)

  const service = await authenticate(url, values, ['informers:read'])
  const isWanted = await toCondition(service, { ...values, status })
  const informers = await readInformers(service)
  const rows = informers.flatMap((informer) => toRows(informer, isWanted))

  const csv = toCsv([EXPORTED.map(headingOf), ...rows])
  if (output) writePrivately(output, csv, force)
  else printCsv(csv)
})

function findStatus(text: string): string {
  const status = QUESTIONNAIRE_STATUSES.find((each) => fold(each) === fold(text))
  if (status) return status
  throw new UsageError(
    `--status deve ser um destes: ${QUESTIONNAIRE_STATUSES.join(', ')}`,
  )
}

/** Returns a condition of the pairs that the options name: a group's name, in any process. */
async function toCondition(
  service: Service,
  { process, group, status }: Partial<Record<'process' | 'group' | 'status', string>>,
): Promise<Condition> {
  const hasStatus: Condition = (pair) => !status || pair?.questionnaire_status === status
  if (!process && !group) return hasStatus

  const isNamed = (name: string, wanted = name) => fold(name) === fold(wanted)
  const all = await readProcesses(service)
  const processes = all.filter(({ protocol }) => isNamed(protocol, process))
  const groups = processes.flatMap((each) => each.groups)
  const found = group ? groups.filter(({ name }) => isNamed(name, group)) : processes
  if (found.length === 0) {
    const names = [process, group].filter((name) => name !== undefined).map(quote)
    throw new Error(`${names.join(', ')}: não está no serviço`)
  }

  const ids = new Set(found.map(({ id }) => id))
  return (pair) =>
    pair !== undefined &&
    ids.has(group ? pair.group.id : pair.process.id) &&
    hasStatus(pair)
}

/**
 * Reads everybody who is there at one moment, by name. A reading may miss somebody, because pages
 * move if people are created, deleted or renamed meanwhile. But whoever is read both before a
 * moment and after it was there, because nobody comes back; if they are as many as the service
 * counts at that moment, they are everybody.
 * @throws {Error} if people change in every reading
 */
async function readInformers(service: Service): Promise<Informer[]> {
  const readBefore = new Set<string>()
  for (let reading = 1; reading <= MAX_READINGS; reading += 1) {
    const pages = await readPages(service, '/informers', informerForm)
    const read = pages.flatMap(({ data }) => data)
    const present = new Map(
      read.filter(({ id }) => readBefore.has(id)).map((each) => [each.id, each]),
    )
    const isEverybody = present.size === pages[0]?.pagination.total
    if (isEverybody) return [...present.values()]

    for (const { id } of read) readBefore.add(id)
  }
  throw new Error('os cadastros mudam enquanto são lidos; repita o comando')
}

/** Returns a row for each wanted pair; of an informer without any, one if that is wanted. */
function toRows(informer: Informer, isWanted: Condition): string[][] {
  const pairs = informer.processes_groups
  return (pairs.length > 0 ? pairs : [undefined])
    .filter(isWanted)
    .map((pair) => toCells(informer, pair))
}

function toCells(informer: Informer, pair?: Pair): string[] {
  const { treatment_pronoun, category, diocese, cpf, ...fields } = informer
  const texts: Partial<Record<Column, string | null | undefined>> = {
    ...fields,
    cpf: cpf?.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
    treatment_pronoun: treatment_pronoun?.name,
    category: category?.name,
    diocese: diocese && nameOf(diocese),
    process: pair?.process.protocol,
    group: pair?.group.name,
    questionnaire_status: pair?.questionnaire_status,
  }
  return EXPORTED.map((column) => texts[column] ?? '')
}
