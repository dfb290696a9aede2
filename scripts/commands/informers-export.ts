import {
  FLAG,
  resolveFromCallerCwd,
  runCommand,
  TEXT,
  UsageError,
} from '../lib/command-line.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import { printCsv, toCsv } from './spreadsheets/csv-output.ts'
import { toExportedRows } from './spreadsheets/exported-rows.ts'
import { refuseExisting, writePrivately } from './spreadsheets/private-file.ts'
import { readInformers } from './spreadsheets/state.ts'

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
