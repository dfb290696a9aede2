import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { applyDocument } from '../../scripts/provisioning/apply.ts'
import reference from '../../scripts/provisioning/reference.json' with { type: 'json' }
import { callJson, PASSWORD, tokenOf } from '../helper.ts'
import { apply, contents, countDifferences, findUser } from './helper.ts'

const FIRST = 'BR-2026-001'
const SECOND = 'BR-2026-002'

describe('a document', () => {
  it('updates rows with known keys and leaves the rest', async () => {
    const before = await env.DB.prepare(
      "select id, updated_at from categories where name = 'Cardeal'",
    ).first()
    await apply({
      categories: [{ name: 'Cardeal', description: 'Outra.', active: false }],
      processes: [{ protocol: FIRST, name: 'Outro nome' }],
      informers: [
        {
          email: 'CLARA@example.org',
          first_name: 'Clara',
          phone: '1',
          category: 'Cardeal',
          groups: [{ protocol: FIRST, group: 'Grupo 2' }],
        },
      ],
    })
    const category = await env.DB.prepare('select * from categories where id = ?').bind(before?.id).first()
    expect(category).toMatchObject({ name: 'Cardeal', description: 'Outra.', active: 0 })
    expect(String(category?.updated_at) > String(before?.updated_at)).toBe(true)
    expect(await findUser('clara@example.org')).toMatchObject({
      last_name: 'Nunes',
      name_folded: 'clara nunes',
      initials: 'CN',
      phone: '1',
      category_id: before?.id,
    })
    const { body } = await callJson('/cover', { token: await tokenOf('clara@example.org') })
    expect(body.data.process.name).toBe('Outro nome')
  })

  it('reports added, changed, removed and unchanged rows by table, like a dry run, which writes nothing', async () => {
    const groups = [
      { protocol: FIRST, group: 'Grupo 1', completed: ['Situação da diocese'] },
      { protocol: 'P', group: 'Novo' },
    ]
    const document = {
      categories: [
        { name: 'Bispo Diocesano', description: 'Outra.' },
        { name: 'Nova', description: 'Nova.' },
        { name: 'Nova também', description: 'Nova.', active: false },
      ],
      treatment_pronouns: reference.treatment_pronouns,
      dioceses: [{ name: 'Diocese Nova', state: 'SP' }],
      processes: [
        {
          protocol: 'P',
          name: 'Um processo',
          groups: [{ name: 'Novo', color: '#000000', description: 'Novo.', questionnaires: ['Um', 'Outro'] }],
        },
      ],
      administrators: [{ email: 'admin@example.org', first_name: 'Administração' }],
      informers: [
        { email: 'dario@example.org', first_name: 'Dario', password: PASSWORD, category: 'Nova', groups },
        {
          email: 'bento@example.org',
          first_name: 'Benedito',
          last_name: 'Ferreira',
          groups,
          groups_are_complete: true,
        },
      ],
      changelogs: [
        {
          version: 'v1.0.1',
          date: '2026-10-19',
          title: 'Outro',
          description: 'Texto.',
          category: 'Melhoria',
        },
        {
          version: 'v1.0.0',
          date: '2026-01-01',
          title: 'Cadastro de informantes',
          description: 'Outro.',
          category: 'Melhoria',
        },
      ],
    }
    const before = await contents()
    const dryRun = await applyDocument(env.DB, document, { dryRun: true })
    expect(await contents()).toEqual(before)

    const report = await apply(document)
    expect(report).toEqual(dryRun)
    expect(report).toEqual({
      categories: { added: 2, changed: 1, removed: 0, unchanged: 0 },
      treatment_pronouns: { added: 0, changed: 0, removed: 0, unchanged: 50 },
      dioceses: { added: 1, changed: 0, removed: 0, unchanged: 0 },
      processes: { added: 1, changed: 0, removed: 0, unchanged: 0 },
      groups: { added: 1, changed: 0, removed: 0, unchanged: 0 },
      questionnaires: { added: 2, changed: 0, removed: 0, unchanged: 0 },
      users: { added: 1, changed: 1, removed: 0, unchanged: 1 },
      informer_groups: { added: 4, changed: 0, removed: 1, unchanged: 0 },
      informer_completions: { added: 2, changed: 0, removed: 1, unchanged: 0 },
      changelogs: { added: 1, changed: 0, removed: 0, unchanged: 1 },
    })
    const written = Object.entries(report).flatMap(([table, { unchanged, ...counts }]) =>
      Object.values(counts).some((count) => count > 0) ? [[table, counts]] : [],
    )
    expect(countDifferences(before, await contents())).toEqual(Object.fromEntries(written))

    const after = await contents()
    const again = await apply(document)
    expect(Object.values(again).every(({ added, changed, removed }) => added + changed + removed === 0)).toBe(
      true,
    )
    expect(await contents()).toEqual(after)
  })

  it('may be empty', async () => {
    const before = await contents()
    await apply({})
    expect(await contents()).toEqual(before)
  })

  it('is applied as a whole or not at all', async () => {
    // another request creates the same person between reads and writes
    const racing = {
      prepare: (query: string) => env.DB.prepare(query),
      batch: async (statements: D1PreparedStatement[]) => {
        if (statements.length !== 6)
          await env.DB.prepare(
            "insert into users (id, role_id, first_name, name_folded, initials, email) values ('x', 1, 'X', 'x', 'X', 'race@example.org')",
          ).run()
        return env.DB.batch(statements)
      },
    } as unknown as D1Database
    const document = {
      dioceses: [{ name: 'Diocese da Corrida', state: 'SP' }],
      informers: [{ first_name: 'Outro', email: 'race@example.org' }],
    }
    await expect(applyDocument(racing, document)).rejects.toThrow('UNIQUE constraint failed: users.email')
    expect((await contents()).dioceses).not.toContainEqual(
      expect.objectContaining({ name: 'Diocese da Corrida' }),
    )
  })

  it('may be larger than one statement takes', async () => {
    const informers = Array.from({ length: 5000 }, (_, at) => ({
      email: `many${at}@example.org`,
      first_name: `X${at}`,
      groups: [{ protocol: FIRST, group: 'Grupo 1' }],
    }))
    const added = { added: 5000, changed: 0, removed: 0, unchanged: 0 }
    expect(await apply({ informers })).toMatchObject({ users: added, informer_groups: added })
    const unchanged = { added: 0, changed: 0, removed: 0, unchanged: 5000 }
    expect(await apply({ informers })).toMatchObject({ users: unchanged, informer_groups: unchanged })
  })
})

describe('the groups of an informer', () => {
  const groupsOf = async (email: string) => {
    const { body } = await callJson('/cover', { token: await tokenOf(email) })
    return body.data?.processes_groups.map(({ group }: { group: { name: string } }) => group.name)
  }
  const inSecond = (...groups: string[]) => groups.map((group) => ({ protocol: SECOND, group }))

  it('are associated in the order of the document', async () => {
    const groups = inSecond('Grupo 6', 'Grupo 1', 'Grupo 3')
    await apply({ informers: [{ email: 'ordered@example.org', first_name: 'Olga', groups }] })
    expect(await groupsOf('ordered@example.org')).toEqual(['Grupo 6', 'Grupo 1', 'Grupo 3'])
  })

  it('are removed with their completions if the document has groups_are_complete', async () => {
    const person = { email: 'moved@example.org', first_name: 'Marta' }
    const other = { email: 'stays@example.org', first_name: 'Saulo' }
    const completed = ['Situação da diocese']
    const groups = ['Grupo 1', 'Grupo 2', 'Grupo 3'].map((group) => ({ protocol: SECOND, group, completed }))
    await apply({
      informers: [
        { ...person, groups },
        { ...other, groups },
      ],
    })

    await apply({ informers: [{ ...person, groups: inSecond('Grupo 2') }] })
    expect(await groupsOf(person.email)).toEqual(['Grupo 1', 'Grupo 2', 'Grupo 3'])

    const moved = { ...person, groups: inSecond('Grupo 2', 'Grupo 4', 'Grupo 4'), groups_are_complete: true }
    expect(await apply({ informers: [moved, other] })).toMatchObject({
      informer_groups: { added: 1, removed: 2, unchanged: 1 },
      informer_completions: { added: 0, removed: 2, unchanged: 0 },
    })
    expect(await groupsOf(person.email)).toEqual(['Grupo 2', 'Grupo 4'])
    expect(await groupsOf(other.email)).toEqual(['Grupo 1', 'Grupo 2', 'Grupo 3'])
    const { results } = await env.DB.prepare(
      'select groups.name from informer_completions join users on users.id = informer_id join questionnaires on questionnaires.id = questionnaire_id join groups on groups.id = group_id where email = ?',
    )
      .bind(person.email)
      .all()
    expect(results).toEqual([{ name: 'Grupo 2' }])

    await apply({ informers: [{ ...person, groups_are_complete: true }] })
    expect(await groupsOf(person.email)).toBeUndefined()
  })
})
