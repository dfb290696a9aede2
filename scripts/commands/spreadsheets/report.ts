import { printable } from '../../lib/command-line.ts'
import type { Outcome } from './decisions.ts'
import { type Entry, linesOf } from './entries.ts'
import type { Outcomes } from './importing.ts'
import type { Table } from './table.ts'

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
  deleted: 'Para cadastrar de novo quem foi excluído: --recreate.',
  left: 'Para pôr os valores do arquivo em quem ficou como está: --update --force.',
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
  if (table.total) {
    const { line, text } = table.total
    print(`linha ${line}, ${text}: não é uma pessoa, e fica de fora`)
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
