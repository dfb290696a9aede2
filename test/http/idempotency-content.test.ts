import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ENTRY } from '../support/changelogs.ts'
import { newEmail } from '../support/emails.ts'
import { callJson, newUser, PASSWORD, tokenOfNew } from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { GROUP } from '../support/processes.ts'
import { newPath, newText, resources } from '../support/resources.ts'

const REUSED = ['A chave de idempotência já foi usada com outro conteúdo.']
const NEW = 'Outra2026'

const nested = (depth: number, open: string, close: string) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`

/** Values, as JSON, of which no text can be made, or only with a deep stack. */
const HOSTILE = {
  '{"toString":1}': '{"toString":1}',
  'an object with hostile members': '{"toString":1,"valueOf":2,"toJSON":3,"__proto__":4}',
  'arrays 5,000 deep': nested(5_000, '[', ']'),
  'arrays 20,000 deep': nested(20_000, '[', ']'),
  'objects 5,000 deep': nested(5_000, '{"a":', '}'),
}

/** Every route that takes a key, and a body of it. */
const ROUTES = [
  ...resources.map((resource) => ({
    ...resource,
    newPath: () => newPath(resource),
  })),
  {
    path: '/changelogs',
    newPath: async () => '/changelogs',
    newBody: (): Record<string, unknown> => ({ ...ENTRY, title: newText() }),
  },
]

/** An administrator who sends bodies with one key. */
async function newClient(path: string) {
  const token = await tokenOfNew(await newUser('administrator'))
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  return (body: unknown) => callJson(path, { token, body, headers })
}

/** A body with one more member: JSON that a client need not be able to write. */
const withMember = (body: object, name: string, value: string) =>
  `${JSON.stringify(body).slice(0, -1)},"${name}":${value}}`

describe.each(ROUTES)('POST /v1$path with an Idempotency-Key', ({ newPath, newBody }) => {
  it.each(Object.entries(HOSTILE))(
    'ignores an unknown field that is %s',
    async (_, value) => {
      const post = await newClient(await newPath())
      const body = newBody()
      const first = await post(withMember(body, 'unknown', value))
      expect(first.status).toBe(201)
      const again = await post(withMember(body, 'unknown', value))
      expect([again.status, again.body]).toEqual([201, first.body])
      expect(logged('error')).toEqual([])
    },
  )

  it.each(Object.entries(HOSTILE))(
    'refuses a field of its own that is %s',
    async (_, value) => {
      const post = await newClient(await newPath())
      const body = newBody()
      for (const name of Object.keys(body)) {
        const { status, body: answer } = await post(withMember(body, name, value))
        const fields = Object.keys(answer.errors).map((place) => place.split('.')[0])
        expect([status, fields]).toEqual([422, [name]])
      }
      expect(logged('error')).toEqual([])
      expect((await post(body)).status).toBe(201)
    },
  )

  it('sorts members by their names alone', async () => {
    const post = await newClient(await newPath())
    const entries = Object.entries(newBody())
    const first = await post(Object.fromEntries(entries))
    expect(first.status).toBe(201)
    for (let turn = 1; turn < entries.length; turn++) {
      const turned = [...entries.slice(turn), ...entries.slice(0, turn)]
      const again = await post(Object.fromEntries(turned))
      expect([again.status, again.body]).toEqual([201, first.body])
    }
  })
})

it.each([
  ['/informers', 'phone'],
  ['/administrators', 'cpf'],
  ['/processes', 'groups_of'],
  ['/categories', 'active'],
  ['/changelogs', 'git_commit_hash'],
])('POST /v1%s takes %s: null as not sent', async (path, field) => {
  const post = await newClient(path)
  const body = ROUTES.find((route) => route.path === path)?.newBody() ?? {}
  const first = await post(body)
  expect(first.status).toBe(201)
  const again = await post({ ...body, [field]: null })
  expect([again.status, again.body]).toEqual([201, first.body])
})

it('POST /v1/processes takes questionnaires: null of a group as not sent', async () => {
  const post = await newClient('/processes')
  const process = { name: 'Sé', protocol: newText() }
  const first = await post({ ...process, groups: [GROUP] })
  expect(first.status).toBe(201)
  const again = await post({ ...process, groups: [{ ...GROUP, questionnaires: null }] })
  expect([again.status, again.body]).toEqual([201, first.body])
})

describe.each(['informer', 'administrator'])(
  'the key of a new %s with a password',
  (role) => {
    const storedHash = () =>
      env.DB.prepare('select content_hash from idempotency_keys').first<string>(
        'content_hash',
      )

    it('is stored with a hash that does not depend on it', async () => {
      const post = await newClient(`/${role}s`)
      const person = { first_name: 'Rita', email: newEmail() }
      const hashes = new Set<unknown>()
      for (const password of [PASSWORD, NEW, null]) {
        await env.DB.exec('delete from idempotency_keys')
        await env.DB.prepare('delete from users where email = ?').bind(person.email).run()
        expect((await post({ ...person, password })).status).toBe(201)
        hashes.add(await storedHash())
      }
      expect([...hashes]).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
    })

    it('gives the same person for another password, and leaves the first one', async () => {
      const post = await newClient(`/${role}s`)
      const person = { first_name: 'Rita', email: newEmail() }
      const first = await post({ ...person, password: PASSWORD })
      for (const fields of [{ password: NEW }, { password: null }, {}]) {
        const again = await post({ ...person, ...fields })
        expect([again.status, again.body]).toEqual([201, first.body])
      }
      const login = async (password: string) =>
        (await callJson('/auth/login', { body: { email: person.email, password } }))
          .status
      expect([await login(PASSWORD), await login(NEW)]).toEqual([200, 401])
    })

    it('is refused for every other field that differs, beside a password', async () => {
      const post = await newClient(`/${role}s`)
      const person = { first_name: 'Rita', email: newEmail(), password: PASSWORD }
      expect((await post(person)).status).toBe(201)
      for (const other of [
        { first_name: 'Rute' },
        { last_name: 'Prado' },
        { email: newEmail() },
      ]) {
        const { status, body } = await post({ ...person, ...other })
        expect([status, body.errors['Idempotency-Key']]).toEqual([422, REUSED])
      }
    })
  },
)
