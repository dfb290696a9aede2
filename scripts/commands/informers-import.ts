import { FLAG, printable, runCommand } from '../lib/command-line.ts'
import { forEachConcurrently } from '../lib/concurrency.ts'
import { readInputFile } from '../lib/input-file.ts'
import { showProgress } from '../lib/prompts.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'
import { COLUMNS, headingOf } from './spreadsheets/columns.ts'
import { toCsv } from './spreadsheets/csv.ts'
import { type Decision, decide } from './spreadsheets/decisions.ts'
import { parseSpreadsheet } from './spreadsheets/file.ts'
import { toRows } from './spreadsheets/rows.ts'
import { carryOut } from './spreadsheets/sending.ts'
import { readState } from './spreadsheets/state.ts'

const USAGE = `Uso: npm run informers:import -- URL ARQUIVO --login EMAIL [--dry-run]
     npm run --silent informers:import -- --template > modelo.csv
Cadastra as pessoas de uma planilha, um CSV UTF-8, no serviço em URL, que termina em /v1,
e inclui nos grupos quem já está no cadastro. Não altera nem exclui ninguém.
Pode ser interrompido e repetido: ninguém é cadastrado duas vezes.
${LOGIN_USAGE}
  --dry-run      só diz o que faria, linha por linha
  --template     escreve um CSV vazio com as colunas a preencher`

const isTemplate = process.argv.includes('--template')
const command = {
  verb: 'importar',
  usage: USAGE,
  options: { ...LOGIN_OPTIONS, 'dry-run': FLAG, template: FLAG },
  arguments: isTemplate ? [] : ['URL', 'ARQUIVO'],
  language: 'pt',
} as const

await runCommand(command, async (values, [url = '', file = '']) => {
  if (isTemplate) {
    const columns = COLUMNS.filter((column) => column !== 'questionnaire_status')
    return process.stdout.write(toCsv([columns.map(headingOf)]))
  }
  const rows = toRows(parseSpreadsheet(readInputFile(file)))
  const service = await authenticate(url, values, ['informers:write'])
  const decisions = decide(rows, await readState(service))

  const dryRun = values['dry-run']
  let done = 0
  if (!dryRun) {
    await forEachConcurrently([...decisions.entries()], async ([at, decision]) => {
      decisions[at] = await carryOut(service, decision)
      done += 1
      showProgress(done, decisions.length)
    })
  }
  printReport(decisions, dryRun)
})

function printReport(decisions: Decision[], dryRun: boolean): void {
  const lines = decisions.flatMap(({ name, messages, previews }) =>
    [...messages, ...(dryRun ? previews : [])].map((message) => ({ ...message, name })),
  )
  lines.sort((one, other) => one.line - other.line)
  for (const { line, name, text } of lines) {
    console.log(printable(`linha ${line}, ${name}: ${text}`))
  }

  const count = (kind: Decision['kind']) =>
    decisions.filter((decision) => decision.kind === kind).length
  console.log(`Cadastrados: ${count('new')}`)
  console.log(`Já cadastrados: ${count('known')}`)
  console.log(`Recusados: ${count('refused')}`)

  const withoutMail = decisions.filter(
    (decision) => decision.kind === 'new' && decision.getsNoMail,
  ).length
  if (withoutMail > 0) {
    console.log(
      `Com e-mail, sem senha e sem mensagem: ${withoutMail}. Essas pessoas pedem a senha em ` +
        '/redefinir-senha.',
    )
  }
  if (dryRun) console.log('Foi só uma simulação: nada foi enviado.')
  if (count('refused') > 0) process.exitCode = 1
}
