import { printable } from '../lib/command-line.ts'
import type { Outcome } from './decisions.ts'
import { type Entry, linesOf } from './entries.ts'
import type { Outcomes } from './importing.ts'
import type { Table } from './table.ts'

const SUMMARY: [label: string, ...kinds: Outcome['kind'][]][] = [
  ['Cadastrados', 'created'],
  ['Já conhecidos', 'known', 'differing'],
  ['Alterados', 'changed'],
  ['Excluídos antes, e não cadastrados de novo', 'deleted'],
  ['Recusados', 'refused'],
]

/** What a dry run says of rows of which there is nothing else to say. */
const PREVIEW: Partial<Record<Outcome['kind'], string>> = {
  created: 'novo',
  known: 'já conhecido',
}

type Report = {
  table: Table
  entries: Entry[]
  outcomes: Outcomes
  dryRun: boolean
}

/**
 * Prints what there is to say of each person, by line, and how many were created, known, changed and so on.
 * @returns whether all is done that the file asks for
 */
export function printReport({ table, entries, outcomes, dryRun }: Report): boolean {
  for (const entry of entries) printEntry(entry, outcomes.get(entry), dryRun)
  if (table.total)
    console.log(
      asOneLine(`linha ${table.total.line}, ${table.total.text}: não é uma pessoa, e fica de fora`),
    )

  const outcomesByKind = Map.groupBy(outcomes.values(), ({ kind }) => kind)
  const count = (kind: Outcome['kind']) => outcomesByKind.get(kind)?.length ?? 0
  for (const [label, ...kinds] of SUMMARY)
    console.log(`${label}: ${kinds.map(count).reduce((sum, number) => sum + number)}`)
  if (count('left') > 0) console.log(`Deixados como estão no serviço: ${count('left')}`)

  printAdvice(count)
  if (dryRun) console.log('Foi só uma simulação: nada foi enviado.')
  return count('refused') === 0 && count('left') === 0
}

function printEntry(entry: Entry, outcome: Outcome | undefined, dryRun: boolean): void {
  const messages = [...entry.notes, ...(outcome?.messages ?? [])]
  const preview = outcome && PREVIEW[outcome.kind]
  if (dryRun && preview && outcome.messages.length === 0) messages.push(preview)
  for (const message of messages)
    console.log(asOneLine(`linha ${linesOf(entry).join(', ')}, ${entry.name}: ${message}`))
}

function printAdvice(count: (kind: Outcome['kind']) => number): void {
  if (count('differing') > 0) console.log('Para alterar quem já era conhecido: --update.')
  if (count('deleted') > 0) console.log('Para cadastrar de novo quem foi excluído: --recreate.')
  if (count('left') > 0)
    console.log('Para pôr os valores do arquivo em quem ficou como está: --update --force.')
  if (count('refused') > 0)
    console.log(
      'Corrija as linhas recusadas e importe o arquivo inteiro de novo: ninguém é cadastrado duas vezes.',
    )
}

/** What others wrote, on one line and without what a terminal would obey; spaces stay as they are. */
const asOneLine = (text: string) => text.split(' ').map(printable).join(' ')
