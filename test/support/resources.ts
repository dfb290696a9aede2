import { env } from 'cloudflare:workers'
import { newEmail } from './emails.ts'
import { newUser } from './helper.ts'
import { complete, createProcess, GROUP, newMember, send } from './processes.ts'

type Body = Record<string, unknown>

/** What administrators create, change and delete, everywhere alike. */
export type Resource = {
  /** The path to create one, and what its parameter is called. */
  path: string
  type: string
  table: string
  /** What messages call it. */
  noun: string
  ending: 'a' | 'o'
  /** The field that must be unique, without case and accents, and the message where it is not. */
  unique: string
  taken: string
  /** What its label is where it is missing. */
  label: string
  newBody: () => Body
  /** Creates a parent, if it depends on one, and returns its id. */
  newParent?: () => Promise<string>
  /** The message where something refers to it, and a function to refer to it. */
  inUse?: string
  use?: (id: string) => Promise<unknown>
}

/** A text of letters, as a treatment pronoun is, whose folded form differs. */
export const newText = () =>
  `Ção ${crypto.randomUUID().replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))}`

const find = async (sql: string, id: string) =>
  String(await env.DB.prepare(sql).bind(id).first('id'))

/** A reference list, and what a new body has besides a name. */
const list = (
  path: string,
  type: string,
  noun: string,
  ending: 'a' | 'o',
  own: Body,
) => ({
  path,
  type,
  table: path.slice(1).replace('-', '_'),
  noun,
  ending,
  unique: 'name',
  taken: 'Este nome já está cadastrado.',
  label: 'nome',
  own,
  newBody: () => ({ name: newText(), ...own }),
  longest: 255,
})

/** A list that informers refer to. */
const referredTo = (resource: ReturnType<typeof list>) => ({
  ...resource,
  inUse: 'O registro está em uso: desative-o.',
  use: (id: string) =>
    newUser('informer', crypto.randomUUID(), { [`${resource.type}_id`]: id }),
})

const users = (type: 'informer' | 'administrator', noun: string): Resource => ({
  path: `/${type}s`,
  type,
  table: 'users',
  noun,
  ending: 'o',
  unique: 'email',
  taken: 'Este email já está cadastrado no sistema.',
  label: 'nome',
  newBody: () => ({ first_name: 'Davi', email: newEmail() }),
})

export const referenceLists = [
  referredTo(list('/categories', 'category', 'Categoria', 'a', { description: 'Um.' })),
  referredTo(list('/dioceses', 'diocese', 'Diocese', 'a', { state: 'SP' })),
  referredTo({
    ...list('/treatment-pronouns', 'treatment_pronoun', 'Pronome de tratamento', 'o', {
      description: 'Um.',
    }),
    longest: 60,
  }),
]

export const resources: Resource[] = [
  ...referenceLists,
  users('informer', 'Informante'),
  users('administrator', 'Administrador'),
  {
    path: '/processes',
    type: 'process',
    table: 'processes',
    noun: 'Processo',
    ending: 'o',
    unique: 'protocol',
    taken: 'Este protocolo já está cadastrado no sistema.',
    label: 'protocolo',
    newBody: () => ({
      name: 'Sé',
      protocol: newText(),
      groups: [{ ...GROUP, questionnaires: ['Um'] }],
    }),
    inUse: 'O processo tem informantes.',
    use: async (id) =>
      newMember(await find('select id from groups where process_id = ?', id)),
  },
  {
    path: '/processes/{process}/groups',
    newParent: async () => (await createProcess({ groups: null })).id,
    type: 'group',
    table: 'groups',
    noun: 'Grupo',
    ending: 'o',
    unique: 'name',
    taken: 'Já existe um grupo com este nome no processo.',
    label: 'nome',
    newBody: () => ({ ...GROUP, name: newText(), questionnaires: ['Um'] }),
    inUse: 'O grupo tem informantes.',
    use: newMember,
  },
  {
    path: '/groups/{group}/questionnaires',
    newParent: async () => (await createProcess({ groups: [GROUP] })).groups[0].id,
    type: 'questionnaire',
    table: 'questionnaires',
    noun: 'Questionário',
    ending: 'o',
    unique: 'title',
    taken: 'Já existe um questionário com este título no grupo.',
    label: 'título',
    newBody: () => ({ title: newText() }),
    inUse: 'O questionário já foi concluído.',
    use: async (id) =>
      complete(
        await newMember(
          await find('select group_id as id from questionnaires where id = ?', id),
        ),
        id,
      ),
  },
]

export function resourceOf(type: string): Resource {
  const found = resources.find((resource) => resource.type === type)
  if (!found) throw new Error(`no resource is called ${type}`)
  return found
}

/** A path to create one, below a new parent if it depends on one. */
export const newPath = async ({ path, newParent }: Resource) =>
  newParent ? path.replace(/\{\w+\}/, await newParent()) : path

/** The path of what has an id. */
export const pathOf = ({ path }: Resource, id: unknown) =>
  `/${path.split('/').at(-1)}/${id}`

/** The stored row of the resource with a unique value. */
export const stored = ({ table, unique }: Resource, value: unknown) =>
  env.DB.prepare(`select * from ${table} where ${unique} = ?`)
    .bind(value)
    .first<Record<string, string | number>>()

/** Creates one, by default beside none. */
export async function create(resource: Resource, path?: string) {
  const body = resource.newBody()
  await send('POST', path ?? (await newPath(resource)), body)
  const value = String(body[resource.unique])
  const { id } = (await stored(resource, value)) ?? {}
  return { id: String(id), value, body }
}
