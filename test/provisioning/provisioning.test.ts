import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { demoDocument } from '../../scripts/lib/demo.ts'
import { applyDocument } from '../../scripts/provisioning/apply.ts'
import { DocumentError, parseDocument } from '../../scripts/provisioning/document.ts'
import reference from '../../scripts/provisioning/reference.json' with { type: 'json' }
import { callJson, PASSWORD, tokenOf } from '../helper.ts'

const TABLES = [
  'categories',
  'treatment_pronouns',
  'dioceses',
  'processes',
  'groups',
  'questionnaires',
  'users',
  'informer_groups',
  'informer_completions',
  'changelogs',
]
const contents = async () =>
  (await env.DB.batch(TABLES.map((table) => env.DB.prepare(`select * from ${table}`)))).map(
    ({ results }) => results,
  )
const apply = async (document: unknown) => applyDocument(env.DB, parseDocument(JSON.stringify(document)))

async function problemsOf(document: unknown): Promise<string[]> {
  const before = await contents()
  const error = await apply(document).catch((error) => error)
  expect(error).toBeInstanceOf(DocumentError)
  expect(await contents()).toEqual(before)
  return error.problems
}

describe('the demo document', () => {
  it('lays the data of the contract', async () => {
    const rows = await contents()
    expect(rows.map(({ length }) => length)).toEqual([100, 50, 281, 2, 12, 32, 4, 3, 4, 5])
  })

  it('changes nothing when it is applied again', async () => {
    const before = await contents()
    const written = await applyDocument(env.DB, demoDocument())
    expect(Object.values(written).every((rows) => rows === 0)).toBe(true)
    expect(await contents()).toEqual(before)
  })
})

it('the reference document holds what every office needs, and nothing of the demo', () => {
  const document = parseDocument(JSON.stringify(reference))
  const counts = Object.entries(document).map(([kind, rows]) => [kind, rows.length])
  expect(Object.fromEntries(counts)).toEqual({
    categories: 100,
    treatment_pronouns: 50,
    dioceses: 281,
    processes: 0,
    administrators: 0,
    informers: 0,
    changelogs: 0,
  })
})

describe('a document', () => {
  it('brings what is known by its key to what it says, and leaves the rest', async () => {
    const id = await env.DB.prepare("select id from categories where name = 'Cardeal'").first('id')
    const written = await apply({
      categories: [{ name: 'Cardeal', description: 'Outra.', active: false }],
      processes: [{ protocol: 'BR-2026-001', name: 'Outro nome' }],
      informers: [
        {
          email: 'CLARA@example.org',
          first_name: 'Clara',
          phone: '1',
          groups: [{ protocol: 'BR-2026-001', group: 'Grupo 2' }],
        },
      ],
    })
    expect(written).toMatchObject({ categories: 1, processes: 1, users: 1, 'informer groups': 1 })
    const category = await env.DB.prepare('select * from categories where id = ?').bind(id).first()
    expect(category).toMatchObject({ name: 'Cardeal', description: 'Outra.', active: 0 })
    const clara = await env.DB.prepare("select * from users where email = 'clara@example.org'").first()
    expect(clara).toMatchObject({ last_name: 'Nunes', initials: 'CN', phone: '1' })
    const { body } = await callJson('/cover', { token: await tokenOf('clara@example.org') })
    expect(body.data.process.name).toBe('Outro nome')
    await applyDocument(env.DB, demoDocument())
  })

  it('sets a password only where there is none yet', async () => {
    await apply({
      informers: [
        { email: 'clara@example.org', first_name: 'Clara', password: 'Outra2026' },
        { cpf: '52998224725', first_name: 'Davi' },
      ],
    })
    expect(
      (await callJson('/auth/login', { body: { email: 'clara@example.org', password: PASSWORD } })).status,
    ).toBe(200)
    await apply({ informers: [{ cpf: '52998224725', first_name: 'Davi', password: 'Nova2026' }] })
    expect(
      (await callJson('/auth/login', { body: { cpf: '52998224725', password: 'Nova2026' } })).status,
    ).toBe(200)
  })

  it('knows a person by CPF who has a new email', async () => {
    await apply({ informers: [{ cpf: '11144477735', email: 'old@example.org', first_name: 'Eva' }] })
    await apply({ informers: [{ cpf: '11144477735', email: 'new@example.org', first_name: 'Eva' }] })
    const { results } = await env.DB.prepare("select email from users where cpf = '11144477735'").all()
    expect(results).toEqual([{ email: 'new@example.org' }])
  })

  it('associates in its own order', async () => {
    const groups = ['Grupo 6', 'Grupo 1', 'Grupo 3'].map((group) => ({ protocol: 'BR-2026-002', group }))
    await apply({ informers: [{ email: 'ordered@example.org', first_name: 'Olga', groups }] })
    const { body } = await callJson('/cover', { token: await tokenOf('ordered@example.org') })
    expect(body.data.processes_groups.map(({ group }: { group: { name: string } }) => group.name)).toEqual([
      'Grupo 6',
      'Grupo 1',
      'Grupo 3',
    ])
  })

  it('may be larger than one statement takes', async () => {
    const informers = Array.from({ length: 1201 }, (_, at) => ({
      email: `many${at}@example.org`,
      first_name: 'X',
      groups: [{ protocol: 'BR-2026-001', group: 'Grupo 1' }],
    }))
    expect(await apply({ informers })).toMatchObject({ users: 1201, 'informer groups': 1201 })
  })

  const person = { first_name: 'X', email: 'x@example.org' }
  it.each([
    [{ categorias: [] }, ['document: Unrecognized key: "categorias"']],
    [[], ['document: Invalid input: expected object, received array']],
    [{ categories: [{ name: '', description: 'x' }] }, ['categories[0].name: O campo name é obrigatório.']],
    [{ dioceses: [{ name: 'X', state: 'br' }] }, ['dioceses[0].state: must be the two letters of a state']],
    [{ informers: [{ ...person, cpf: '52998224724' }] }, ['informers[0].cpf: O CPF informado é inválido.']],
    [{ informers: [{ first_name: 'X' }] }, ['informers[0]: needs an email or a CPF to be known by']],
    [
      { administrators: [{ ...person, password: 'abc' }] },
      [
        'administrators[0].password: A senha deve ter pelo menos 6 caracteres.',
        'administrators[0].password: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
      ],
    ],
    [
      { processes: [{ protocol: 'P', name: 'X', groups: [{ name: 'G', color: 'red', description: 'x' }] }] },
      ['processes[0].groups[0].color: must be a hex colour, as #0D47A1'],
    ],
    [{ informers: [person, person] }, ['informers[1].email: the same as informers[0].email']],
    [
      {
        categories: [
          { name: 'X', description: 'x' },
          { name: 'X', description: 'y' },
        ],
      },
      ['categories[1].name: the same as categories[0].name'],
    ],
    [{ informers: [{ ...person, category: 'Nenhuma' }] }, ['informers[0].category: is nowhere to be found']],
    [
      {
        categories: [{ name: 'New', description: 'x' }],
        informers: [{ ...person, groups: [{ protocol: 'BR-2026-001', group: 'Grupo 9' }] }],
      },
      ['informers[0].groups[0]: is nowhere to be found'],
    ],
    [
      {
        informers: [
          { ...person, groups: [{ protocol: 'BR-2026-001', group: 'Grupo 1', completed: ['Nenhum'] }] },
        ],
      },
      ['informers[0].groups[0].completed[0]: is nowhere to be found'],
    ],
    [
      { informers: [{ first_name: 'X', email: 'admin@example.org' }] },
      ['informers[0]: is already there in another role'],
    ],
  ])('%j is wrong, and changes nothing', async (document, problems) => {
    expect(await problemsOf(document)).toEqual(problems)
  })

  it('whose email and CPF belong to two people is wrong', async () => {
    await apply({ informers: [{ first_name: 'F', cpf: '39053344705' }] })
    expect(
      await problemsOf({ informers: [{ first_name: 'F', cpf: '39053344705', email: 'ana@example.org' }] }),
    ).toEqual(['informers[0]: email and CPF belong to two people'])
  })

  it('may be empty', async () => {
    const before = await contents()
    expect(await apply({})).toEqual({})
    expect(await contents()).toEqual(before)
  })

  it('may begin with a byte order mark', () => {
    expect(parseDocument('\uFEFF{"dioceses":[{"name":"X","state":"AC"}]}').dioceses).toHaveLength(1)
  })

  it('that is no JSON says where', () => {
    expect(() => parseDocument('{"categories": [}')).toThrow(/^not JSON: .+/)
  })
})
