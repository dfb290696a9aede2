import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { apply, findUser, problemsOf } from './helper.ts'

const REGISTERED =
  'informers[0]: a person with this name is registered: add their "previous_email" or "cpf", or "allow_same_name": true for another person'
const MIXED_UP =
  'informers[0]: is registered with another name and another email or CPF: correct one at a time'
const CPFS = [
  '52998224725',
  '11144477735',
  '39053344705',
  '15350946056',
  '86288366757',
  '12345678909',
] as const

const informer = (first_name: string, fields: object) => ({ informers: [{ first_name, ...fields }] })
const countOf = (name: string) =>
  env.DB.prepare('select count(*) as count from users where name_folded = ?').bind(name).first('count')

describe('a person with a corrected email', () => {
  it('is known by CPF', async () => {
    await apply(informer('Eva', { cpf: CPFS[0], email: 'eva@example.org' }))
    await apply(informer('Eva', { cpf: CPFS[0], email: 'eva.lima@example.org' }))
    expect(await findUser(CPFS[0])).toMatchObject({ email: 'eva.lima@example.org' })
    expect(await countOf('eva')).toBe(1)
  })

  it('is known by the previous email, also when the document is applied again', async () => {
    await apply(informer('Inês', { email: 'ins@example.org' }))
    const corrected = informer('Inês', { email: 'ines@example.org', previous_email: 'INS@example.org' })
    expect(await apply(corrected)).toMatchObject({ users: { added: 0, changed: 1 } })
    expect(await apply(corrected)).toMatchObject({ users: { added: 0, changed: 0, unchanged: 1 } })
    expect(await countOf('ines')).toBe(1)
  })

  it('is not duplicated without either', async () => {
    await apply(informer('José', { last_name: 'da Silva', email: 'jose@example.org' }))
    const corrected = { last_name: 'DA SILVA', email: 'jose.silva@example.org' }
    expect(await problemsOf(informer('Jose', corrected))).toEqual([REGISTERED])
    expect(await problemsOf(informer('José da', { last_name: 'Silva', cpf: CPFS[1] }))).toEqual([REGISTERED])
    await apply(informer('José', { ...corrected, allow_same_name: true }))
    await apply(informer('José', corrected))
    expect(await countOf('jose da silva')).toBe(2)
  })

  it('is reported if the previous email is unknown', async () => {
    expect(
      await problemsOf(informer('Ivo', { email: 'ivo@example.org', previous_email: 'iv@example.org' })),
    ).toEqual(['informers[0].previous_email: "iv@example.org" was not found'])
  })
})

describe('people of one name', () => {
  it('are distinct if both have a CPF', async () => {
    await apply(informer('Rui Alves', { cpf: CPFS[1] }))
    await apply(informer('Rui Alves', { cpf: CPFS[2] }))
    expect(await countOf('rui alves')).toBe(2)
  })

  it('are reported within a document, too', async () => {
    const rita = { first_name: 'Rita', last_name: 'Luz' }
    const document = (allow_same_name: boolean) => ({
      informers: [
        { ...rita, email: 'rita1@example.org' },
        { ...rita, email: 'rita2@example.org', allow_same_name },
      ],
    })
    expect(await problemsOf(document(false))).toEqual([
      'informers[1]: has the name of informers[0]: add "allow_same_name": true for another person',
    ])
    await apply(document(true))
    await apply(document(true))
    expect(await countOf('rita luz')).toBe(2)
  })

  it('may be an informer and an administrator', async () => {
    await apply({ administrators: [{ first_name: 'Rui Alves', email: 'rui@example.org' }] })
    expect(await countOf('rui alves')).toBe(3)
    const administrators = [{ first_name: 'Sara Luz', email: 'sara@example.org' }]
    await apply({ administrators, ...informer('Sara Luz', { email: 'sara.luz@example.org' }) })
    expect(await countOf('sara luz')).toBe(2)
  })
})

describe('two people are not merged', () => {
  it('if email and CPF belong to different users', async () => {
    await apply(informer('Fábio', { cpf: CPFS[3] }))
    const problem = ['informers[0]: email, previous email and CPF belong to different people']
    expect(await problemsOf(informer('Fábio', { cpf: CPFS[3], email: 'ana@example.org' }))).toEqual(problem)
    expect(
      await problemsOf(informer('Ana', { email: 'ana@example.org', previous_email: 'bento@example.org' })),
    ).toEqual(problem)
  })

  it('if both match the same user in the database', async () => {
    await apply(informer('Gil', { cpf: CPFS[4], email: 'gil@example.org' }))
    const gil = { first_name: 'Gil', cpf: CPFS[4], email: 'gil.novo@example.org' }
    const other = { first_name: 'Noé', email: 'gil@example.org' }
    expect(await problemsOf({ informers: [gil, other] })).toEqual([
      'informers[1]: is the same person as informers[0]',
    ])
  })

  it('if name and CPF, or name and email, would change at once', async () => {
    expect(await problemsOf(informer('Noé', { email: 'gil@example.org', cpf: CPFS[5] }))).toEqual([MIXED_UP])
    expect(await problemsOf(informer('Noé', { email: 'noe@example.org', cpf: CPFS[4] }))).toEqual([MIXED_UP])
    await apply(informer('Gilberto', { email: 'gil@example.org', cpf: CPFS[4] }))
    await apply(informer('Gilberto', { email: 'gilberto@example.org', cpf: CPFS[4] }))
    await apply(
      informer('Gil', { email: 'gil@example.org', previous_email: 'gilberto@example.org', cpf: CPFS[4] }),
    )
    expect(await findUser(CPFS[4])).toMatchObject({ first_name: 'Gil', email: 'gil@example.org' })
  })

  it('if their roles differ', async () => {
    expect(await problemsOf(informer('Administração', { email: 'admin@example.org' }))).toEqual([
      'informers[0]: is registered in another role',
    ])
  })
})
