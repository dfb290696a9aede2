import { env } from 'cloudflare:workers'
import {
  DEMO_ADMINISTRATOR,
  demoChangelog,
  demoDocument,
  demoInformers,
} from '../../scripts/commands/provisioning/demo.ts'
import { fold } from '#domain/folding.ts'
import { fullName, initials } from '#domain/names.ts'

type Row = Record<string, unknown>
type Person = { first_name: string; last_name?: string | null; email: string }

/** The id of the first administrator. Constant, so that its tokens need not be looked up. */
export const ADMINISTRATOR_ID = '7c0b4f0e-2f35-4b53-9a0e-0d6a1f3c9e21'

/** Inserts the demo data; all users have one password. */
export async function insertDemoData(password_hash: string): Promise<void> {
  const { categories, treatment_pronouns, dioceses, ...demo } = demoDocument
  const processes = demo.processes.map((process) => ({
    ...process,
    id: crypto.randomUUID(),
    name_folded: fold(process.name),
    protocol_folded: fold(process.protocol),
  }))
  const groups = processes.flatMap(({ id: process_id, protocol, groups }) =>
    groups.map((group) => ({
      ...group,
      id: crypto.randomUUID(),
      process_id,
      protocol,
      name_folded: fold(group.name),
    })),
  )
  const questionnaires = groups.flatMap(({ id: group_id, questionnaires }) =>
    questionnaires.map((title) => ({
      id: crypto.randomUUID(),
      title,
      title_folded: fold(title),
      group_id,
    })),
  )
  const informers = demoInformers.map((person) => ({
    ...person,
    id: crypto.randomUUID(),
  }))
  const associations = informers.flatMap(
    ({ id: informer_id, groups: pairs, ...person }) =>
      pairs.map(({ protocol, group: name, completed }) => {
        const group = groups.find(
          (group) => group.protocol === protocol && group.name === name,
        )
        return {
          informer_id,
          group_id: group?.id,
          process_id: group?.process_id,
          name_folded: fold(fullName(person)),
          completed,
        }
      }),
  )
  const completions = associations.flatMap(({ informer_id, group_id, completed }) =>
    questionnaires
      .filter(
        (questionnaire) =>
          questionnaire.group_id === group_id && completed.includes(questionnaire.title),
      )
      .map(({ id: questionnaire_id }) => ({ informer_id, questionnaire_id })),
  )
  const user = (
    id: string,
    role_id: number,
    { first_name, last_name = null, email }: Person,
  ) => {
    const name = fullName({ first_name, last_name })
    const derived = { name_folded: fold(name), initials: initials(name), password_hash }
    return { id, role_id, first_name, last_name, email, ...derived }
  }
  const users = [
    user(ADMINISTRATOR_ID, 2, DEMO_ADMINISTRATOR),
    ...informers.map((person) => user(person.id, 1, person)),
  ]
  await env.DB.batch([
    insert('categories', ['name', 'name_folded', 'description'], named(categories)),
    insert(
      'treatment_pronouns',
      ['name', 'name_folded', 'description'],
      named(treatment_pronouns),
    ),
    insert('dioceses', ['name', 'name_folded', 'state'], named(dioceses)),
    insert(
      'processes',
      ['id', 'protocol', 'protocol_folded', 'name', 'name_folded'],
      processes,
    ),
    insert(
      'groups',
      ['id', 'process_id', 'name', 'name_folded', 'color', 'description'],
      groups,
    ),
    insert('questionnaires', ['id', 'group_id', 'title', 'title_folded'], questionnaires),
    insert('users', Object.keys(users[0] ?? {}), users),
    insert(
      'informer_groups',
      ['informer_id', 'group_id', 'process_id', 'name_folded'],
      associations,
    ),
    insert('informer_completions', ['informer_id', 'questionnaire_id'], completions),
    insert(
      'changelogs',
      ['id', 'version', 'date', 'title', 'description', 'category', 'is_published'],
      demoChangelog.map((entry) => ({ ...entry, id: crypto.randomUUID() })),
    ),
  ])
}

const named = (rows: { name: string }[]) =>
  rows.map((row) => ({ ...row, name_folded: fold(row.name) }))

/** Inserts rows of JSON, of which a statement takes any number. */
function insert(table: string, columns: string[], rows: Row[]): D1PreparedStatement {
  const values = columns.map((column) => `value ->> '${column}'`)
  return env.DB.prepare(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from json_each(?)`,
  ).bind(JSON.stringify(rows))
}
