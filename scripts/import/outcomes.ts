import type { Service } from '../lib/service-call.ts'
import { readList, send } from '../lib/service-client.ts'
import { isRefusal } from '../lib/service-error.ts'
import type { Person } from '../provisioning/document.ts'
import { referenceFinder, type References } from '../provisioning/lists.ts'
import {
  foldedName,
  isDeleted,
  type People,
  personChanges,
  planPerson,
  userFinder,
} from '../provisioning/people.ts'
import { type State, type User, userSchema } from '../provisioning/state.ts'
import { headingOf } from './columns.ts'
import type { Entry } from './rows.ts'

export type Outcome = {
  kind: 'created' | 'known' | 'changed' | 'deleted' | 'refused'
  messages: string[]
}
type Options = { update: boolean; recreate: boolean; dryRun: boolean }

const refused = (...messages: string[]): Outcome => ({ kind: 'refused', messages })

/** Returns a function that brings the person of some rows in. Safe to repeat, also after an interruption. */
export function importer(service: Service, state: State, { update, recreate, dryRun }: Options) {
  const findReferences = referenceFinder(state)

  return async function importEntry(
    entry: Entry,
    findInformer = informerFinder(state),
  ): Promise<Outcome> {
    if (!entry.person || entry.problems.length > 0) return refused(...entry.problems)
    const { known, problem } = findInformer(entry.person)
    if (problem) return refused(problem)
    const isSameName = known && entry.isNameSplit && foldedName(entry.person) === foldedName(known)
    const { first_name, last_name } = isSameName ? known : entry.person
    const person = { ...entry.person, first_name, last_name }
    const references = findReferences(person, known)
    if (references.problems.length > 0)
      return refused(...references.problems.map((one) => toMessage(entry, ...one)))
    const fields = known ? differencesOf(person, known, references).join(', ') : ''
    if (known && !(fields && update))
      return {
        kind: 'known',
        messages: fields ? [`já está no cadastro, e difere em: ${fields}`] : [],
      }
    const changed: Outcome = { kind: 'changed', messages: [`alterado: ${fields}`] }
    const outcome: Outcome = known ? changed : { kind: 'created', messages: [] }
    if (dryRun) return outcome
    try {
      const plan = { path: '', role: 'informers', person, known, references, recreate } as const
      for (const { send } of planPerson(service, plan)) await send?.()
    } catch (error) {
      if (isDeleted(error))
        return { kind: 'deleted', messages: ['foi excluído há menos de uma semana'] }
      if (!isRefusal(error)) throw error
      const informers = known ? [] : await search(service, person)
      const find = informerFinder({ informers, administrators: [] })
      if (find(person).known) return importEntry(entry, find) // somebody else was faster
      return refused(...error.reasons.map((reason) => reason.replace(/^\w+(?=: )/, headingOf)))
    }
    const isDouble =
      !known && isNameless(person) && (await withdrawDoubles(service, person, references))
    return isDouble ? { kind: 'known', messages: [] } : outcome
  }
}

const isNameless = ({ email, cpf }: Pick<Person, 'email' | 'cpf'>) => !email && !cpf

/** Finds the informer that a row means: by email or CPF; or by name one who has neither. */
function informerFinder(people: People) {
  const find = userFinder(people)
  const nameless = Map.groupBy(people.informers.filter(isNameless), foldedName)
  return (person: Person): ReturnType<typeof find> => {
    const found = find(person, 'informers')
    if (found.known || found.problem) return found
    const [known, ...others] = nameless.get(foldedName(person)) ?? []
    return others.length > 0
      ? { problem: 'há várias pessoas com este nome, sem e-mail nem CPF' }
      : { known }
  }
}

/** The headings of the columns in which a row differs from what is known. */
function differencesOf(person: Person, known: User, references: References): string[] {
  const fields = Object.keys(personChanges({ person, known, references })).map(headingOf)
  const isIn = ({ id }: References['groups'][number]) =>
    known.processes_groups?.some(({ group }) => group.id === id)
  return references.groups.every(isIn) ? fields : [...fields, headingOf('group')]
}

/** A problem of a reference with its heading; that of a group with the line that names it. */
function toMessage({ lines }: Entry, field: string, problem: string): string {
  const [, at = '0', name = field] = /^groups\[(\d+)\]\.(\w+)/.exec(field) ?? []
  const line = lines[Number(at)]
  return `${headingOf(name === 'protocol' ? 'process' : name)}: ${problem}${line === lines[0] ? '' : ` (linha ${line})`}`
}

const search = (service: Service, { first_name, email, cpf }: Person) =>
  readList(service, '/informers', userSchema, { search: cpf ?? email ?? first_name })

/** Two imports at once may create the same person, whom without email and CPF no index keeps apart: the first stays. */
async function withdrawDoubles(
  service: Service,
  person: Person,
  references: References,
): Promise<boolean> {
  const isSame = (known: User) =>
    isNameless(known) && differencesOf(person, known, references).length === 0
  const ageOf = ({ created_at, id }: User) => `${created_at} ${id}`
  const found = (await search(service, person)).filter(isSame)
  const [, ...doubles] = found.sort((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1))
  for (const { id } of doubles)
    await send(service, 'DELETE', `/informers/${id}`).catch((error) => {
      if (!isRefusal(error)) throw error // both withdraw the same one
    })
  return doubles.length > 0
}
