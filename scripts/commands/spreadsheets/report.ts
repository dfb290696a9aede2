import { printable } from '../../lib/command-line.ts'
import { headingOf } from './columns.ts'
import { toCsv } from './csv.ts'
import type { Outcome } from './deciding/decisions.ts'
import { type Entry, linesOf } from './deciding/people.ts'
import type { Outcomes } from './importing.ts'
import type { Row } from './reading/cells.ts'
import type { Table } from './reading/table.ts'

type Kind = Outcome['kind']

const SUMMARY: { label: string; kinds: Kind[] }[] = [
  { label: 'Cadastrados', kinds: ['created'] },
  { label: 'Já conhecidos', kinds: ['known', 'differing'] },
  { label: 'Alterados', kinds: ['changed'] },
  {
    label: 'Excluídos antes, e não cadastrados de novo',
    kinds: ['deleted'],
  },
  { label: 'Recusados', kinds: ['refused'] },
]

/** Texts of a dry run for rows on which a real run is silent. */
const PREVIEW: Partial<Record<Kind, string>> = {
  created: 'novo',
  known: 'já conhecido',
}

/** Advice by kind of outcome. */
const ADVICE: Partial<Record<Kind, string>> = {
  differing: 'Para alterar quem já era conhecido: --update.',
  deleted:
    'Para cadastrar de novo quem foi excluído: a linha sem ID, uma semana depois; antes, pela API.',
  left:
    'Para pôr os valores do arquivo em quem ficou como está: ' +
    'o arquivo sem a coluna "Atualizado em".',
  refused:
    'Corrija as linhas recusadas e importe o arquivo inteiro de novo: ' +
    'ninguém é cadastrado duas vezes.',
}

type Report = {
  table: Table
  entries: Entry[]
  outcomes: Outcomes
  dryRun: boolean
}

/**
 * Prints the messages of each person, by line, and the counts by outcome.
 * @returns whether the whole file was imported
 */
export function printReport({ table, entries, outcomes, dryRun }: Report): boolean {
  if (table.otherSheets.length > 0) {
    const names = table.otherSheets.join(', ')
    print(`Outras planilhas do arquivo, que não foram lidas (--sheet): ${names}`)
  }
  for (const entry of entries) {
    printEntry(entry, outcomes.get(entry), dryRun)
  }
  for (const { line, text, reason } of table.leftOut) {
    print(`linha ${line}, ${text}: ${reason}, e fica de fora`)
  }

  const byKind = Map.groupBy(outcomes.values(), ({ kind }) => kind)
  const count = (...kinds: Kind[]) =>
    kinds.flatMap((kind) => byKind.get(kind) ?? []).length
  for (const { label, kinds } of SUMMARY) {
    print(`${label}: ${count(...kinds)}`)
  }
  if (count('left') > 0) {
    print(`Deixados como estão no serviço: ${count('left')}`)
  }

  for (const [kind, advice] of Object.entries(ADVICE)) {
    if (byKind.has(kind as Kind)) print(advice)
  }
  if (dryRun) print('Foi só uma simulação: nada foi enviado.')

  const gotNoMail = [...outcomes.values()].filter((outcome) => outcome.gotNoMail).length
  if (gotNoMail > 0) {
    print(
      `Sem mensagem: ${gotNoMail}. Quem entrou com e-mail, sem senha e sem confirmar o e-mail ` +
        'pede a senha em /redefinir-senha.',
    )
  }
  return count('refused', 'left') === 0
}

function printEntry(entry: Entry, outcome: Outcome | undefined, dryRun: boolean): void {
  const messages = [...entry.notes]
  if (outcome) messages.push(...outcome.messages)

  const preview = outcome && PREVIEW[outcome.kind]
  if (dryRun && preview) messages.push(preview)

  const lines = linesOf(entry).join(', ')
  for (const message of messages) {
    print(`linha ${lines}, ${entry.name}: ${message}`)
  }
}

/** Prints foreign text on one line without terminal escapes, and keeps its spaces. */
function print(text: string): void {
  console.log(text.split(' ').map(printable).join(' '))
}

/** Marks cells that a row lacks, so that it is refused again unless someone fills them in. */
const MISSING = '#N/D'

/**
 * Returns the refused rows unchanged, with their headings and a last column of reasons, ready to be
 * corrected and imported.
 * @returns a CSV; undefined if none was refused
 */
export function toRefusedCsv(
  { headings, columns }: Table,
  entries: Entry[],
  outcomes: Outcomes,
): string | undefined {
  const refused = entries.flatMap((entry) => {
    const { kind, messages } = outcomes.get(entry) ?? {}
    if (kind !== 'refused' || !messages) return []
    return entry.rows.map((row) => ({ ...row, reason: messages.join('; ') }))
  })
  if (refused.length === 0) return undefined

  refused.sort((one, other) => one.line - other.line)

  // all columns except the reasons of an earlier import
  const widths = refused.map(({ source }) => source.cells.length)
  const width = Math.max(columns.length, ...widths)
  const places = [...Array(width).keys()].filter((at) => columns[at] !== 'reason')

  const headingCells = places.map((at) => headings[at] ?? '')
  const rows = refused.map(({ source, reason }) => {
    const cells = places.map((at) => textAt(source, at, headings.length))
    return [...cells, reason]
  })
  return toCsv([[...headingCells, headingOf('reason')], ...rows])
}

/** @param expected how many cells a row should have */
function textAt({ cells, width }: Row, at: number, expected: number): string {
  const isCut = width !== undefined && at >= width
  const isMissing = isCut && at < expected
  return isMissing ? MISSING : (cells[at] ?? '')
}
