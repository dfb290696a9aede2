import { QUESTIONNAIRE_STATUSES } from '../src/domain/completion.ts'
import { fold } from '../src/domain/folding.ts'
import { type Column, COLUMNS, headingOf } from './import/columns.ts'
import { writeCsv } from './import/csv.ts'
import { runCommand, TEXT } from './lib/command-line.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE_PT } from './lib/login.ts'
import { readList } from './lib/service-client.ts'
import { findBy, namesOf } from './provisioning/lists.ts'
import { type Item, processSchema, type User, userSchema } from './provisioning/state.ts'

const USAGE = `Uso: npm run --silent informers:export -- URL --login EMAIL [--process P] [--group G] [--status S] > informantes.csv
Escreve os informantes do serviço em URL, que termina em /v1, em um CSV que informers:import lê de volta:
uma linha para cada processo e grupo de uma pessoa. Senhas não são escritas.
${LOGIN_USAGE_PT}
  --process      só os de um processo (protocolo ou nome)
  --group        só os de um grupo (nome)
  --status       só Pendente, Em andamento ou Concluído`

type Membership = NonNullable<User['processes_groups']>[number]

const options = { ...LOGIN_OPTIONS, process: TEXT, group: TEXT, status: TEXT } as const
const command = {
  verb: 'exportar',
  usage: USAGE,
  options,
  arguments: ['URL'],
  language: 'pt',
} as const
const EXPORTED = COLUMNS.filter(
  (column) => !['full_name', 'password', 'require_email_verification'].includes(column),
)

/** The name of an item; of a diocese with the state, by which the import tells those of one name apart. */
const nameOf = (item: Item | null | undefined) => item && namesOf(item).at(-1)

await runCommand(command, async ({ process: processName, group, status, ...login }, [url = '']) => {
  const service = await authenticate(url, login)
  const processes = await readList(service, '/processes', processSchema)
  const findProcess = findBy(processes, ({ protocol, name }) => [protocol, name])
  const inProcess = processName === undefined ? processes : findProcess(processName)
  if (processName !== undefined && inProcess.length === 0)
    throw new Error(`o processo "${processName}" não existe`)
  const groups = inProcess
    .flatMap(({ groups }) => groups)
    .filter(({ name }) => !group || fold(name) === fold(group))
  if (group && groups.length === 0) throw new Error(`o grupo "${group}" não existe`)
  const [wanted] = findBy(QUESTIONNAIRE_STATUSES, (name) => [name])(status ?? '')
  if (status && !wanted)
    throw new Error(`a situação deve ser uma destas: ${QUESTIONNAIRE_STATUSES.join(', ')}`)

  const isFiltered = processName !== undefined || group !== undefined || wanted !== undefined
  const ids = new Set(groups.map(({ id }) => id))
  const isWanted = (pair: Membership) =>
    ids.has(pair.group.id) && (!wanted || pair.questionnaire_status === wanted)
  const informers = await readList(service, '/informers', userSchema)
  const rows = informers.flatMap((informer) => {
    const pairs = informer.processes_groups?.filter(isWanted) ?? []
    if (pairs.length === 0 && isFiltered) return []
    const lines = (pairs.length > 0 ? pairs : [undefined]).map((pair) => toCells(informer, pair))
    // of one name, the service orders by ids, which another import would not give
    return { sortKey: `${fold(informer.full_name)}\n${lines.join('\n')}`, lines }
  })
  rows.sort((one, other) => (one.sortKey < other.sortKey ? -1 : 1))
  writeCsv([EXPORTED.map(headingOf), ...rows.flatMap(({ lines }) => lines)])
})

function toCells(informer: User, pair?: Membership) {
  const cells: Partial<Record<Column, string | null | undefined>> = {
    ...informer,
    cpf: informer.cpf && informer.cpf.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
    treatment_pronoun: nameOf(informer.treatment_pronoun),
    category: nameOf(informer.category),
    diocese: nameOf(informer.diocese),
    process: pair?.process.protocol,
    group: pair?.group.name,
    questionnaire_status: pair?.questionnaire_status,
  }
  return EXPORTED.map((column) => cells[column] ?? '')
}
