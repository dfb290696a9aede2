import {
  FLAG,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
  UsageError,
} from '../lib/command-line.ts'
import { refuseExisting, writePrivately } from '../lib/private-file.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import type { Service } from './service/service-call.ts'
import { readList } from './service/service-client.ts'
import { type Column, COLUMNS, headingOf, quote } from './spreadsheets/columns.ts'
import { printCsv, toCsv } from './spreadsheets/csv.ts'
import { type Informer, informerForm, nameOf, processForm } from './spreadsheets/state.ts'
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

/** Parameters of the list of informers, which are all of one pair. */
type Filter = Partial<Record<'process_id' | 'group_id' | 'questionnaire_status', string>>

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

  const output = values.output && resolveFromCallerCwd(values.output)
  if (output && !force) refuseExisting(output, ': para substituí-lo, --force')

  const service = await authenticate(url, values, ['informers:read'])
  const filters = await toFilters(service, values)
  const informers = await readInformers(service, filters)
  const rows = informers.flatMap((informer) => toRows(informer, filters))

  const csv = toCsv([EXPORTED.map(headingOf), ...rows])
  if (output) writePrivately(output, csv)
  else printCsv(csv)
})

/** Finds what the options name: a group of a name in each of the processes. */
async function toFilters(
  service: Service,
  { process, group, status }: { process?: string; group?: string; status?: string },
): Promise<Filter[]> {
  const ofStatus: Filter = status ? { questionnaire_status: status } : {}
  if (!process && !group) return [ofStatus]

  const isNamed = (name: string, wanted = name) => fold(name) === fold(wanted)
  const all = await readList(service, '/processes', processForm)
  const processes = all.filter(({ protocol }) => isNamed(protocol, process))
  const groups = processes.flatMap((each) => each.groups)
  const filters = group
    ? groups
        .filter(({ name }) => isNamed(name, group))
        .map(({ id }) => ({ group_id: id }))
    : processes.map(({ id }) => ({ process_id: id }))
  if (filters.length > 0) return filters.map((filter) => ({ ...ofStatus, ...filter }))

  const names = [process, group].filter((name) => name !== undefined).map(quote)
  throw new Error(`${names.join(', ')}: não foi encontrado`)
}

/** Reads the informers that a filter finds, each once, by name. */
async function readInformers(service: Service, filters: Filter[]): Promise<Informer[]> {
  const byId = new Map<string, Informer>()
  for (const filter of filters) {
    for (const informer of await readList(service, '/informers', informerForm, filter)) {
      byId.set(informer.id, informer)
    }
  }
  const named = [...byId.values()].map((each) => ({ each, name: fold(each.full_name) }))
  named.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
  return named.map(({ each }) => each)
}

/** Returns a row for each pair that a filter names, or one of an informer without any. */
function toRows(informer: Informer, filters: Filter[]): string[][] {
  const pairs = informer.processes_groups
  if (pairs.length === 0) return [toCells(informer)]

  const isWanted = (pair: Pair) => {
    const own: Required<Filter> = {
      process_id: pair.process.id,
      group_id: pair.group.id,
      questionnaire_status: pair.questionnaire_status,
    }
    return filters.some((filter) =>
      Object.entries(filter).every(
        ([name, value]) => value === own[name as keyof Filter],
      ),
    )
  }
  return pairs.filter(isWanted).map((pair) => toCells(informer, pair))
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
