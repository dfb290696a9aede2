import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()
const HEADINGS = ['ID', 'Nome', 'Sobrenome', 'E-mail', 'CPF', 'Telefone', 'Atualizado em']

describe('informers:import knows people by their ID', () => {
  const AT_ONCE = 'o nome e o e-mail ou CPF mudam ao mesmo tempo: corrija um de cada vez'
  it.each<[what: string, known: object, cells: string[], line: string, after: object]>([
    [
      'takes another email for a correction',
      { first_name: 'Ada', email: 'ada@exemple.org' },
      ['Ada', '', 'ada@example.org'],
      'Ada: alterado: E-mail: ada@exemple.org → ada@example.org',
      { email: 'ada@example.org' },
    ],
    [
      'knows who has neither email nor CPF by another name',
      { first_name: 'Cida', last_name: 'Rocha' },
      ['Aparecida', 'Rocha'],
      'Aparecida Rocha: alterado: Nome: Cida → Aparecida',
      { full_name: 'Aparecida Rocha' },
    ],
    [
      'refuses another name and another email at once',
      { first_name: 'Hilda', email: 'hilda@example.org' },
      ['Ilda', '', 'ilda@example.org'],
      `Ilda: ${AT_ONCE}`,
      { full_name: 'Hilda', email: 'hilda@example.org' },
    ],
    [
      'refuses another name and a first email at once',
      { first_name: 'Iria' },
      ['Irma', '', 'nova.irma@example.org'],
      `Irma: ${AT_ONCE}`,
      { full_name: 'Iria', email: null },
    ],
    [
      'refuses another name and a first CPF at once',
      { first_name: 'Iria', email: 'iria@example.org' },
      ['Irma', '', '', '012.345.670-32'],
      `Irma: ${AT_ONCE}`,
      { full_name: 'Iria', cpf: null },
    ],
  ])('%s', async (_, known, cells, line, after) => {
    const { id } = await office.create(known)
    const file = csv(HEADINGS, [id.toUpperCase(), ...cells])
    expect(await office.linesOf(file, '--update')).toEqual([`linha 2, ${line}`])
    expect(await office.read(id)).toMatchObject(after)
  })

  it('knows whose email was corrected in the service', async () => {
    const { id } = await office.create({ first_name: 'Bela', email: 'bela@exemple.org' })
    const { 'Atualizado em': instant } = await rowOf(id)
    await office.change(id, { email: 'bela@example.org' })
    const file = csv(HEADINGS, [id, 'Bela', '', 'bela@exemple.org', '', '', instant])

    const { code, stdout } = await office.importFile(file)
    expect(stdout).toContain('difere em: E-mail: bela@example.org → bela@exemple.org\n')
    expect([code, await office.find('bela@')]).toMatchObject([
      0,
      [{ email: 'bela@example.org' }],
    ])
  })

  it('tells whose ID nobody has, also beside the name of somebody', async () => {
    await office.create({ first_name: 'Só', last_name: 'De Nome' })
    const file = csv(HEADINGS, [randomUUID(), 'Só', 'De Nome'])
    expect(await office.linesOf(file)).toEqual(['linha 2, Só De Nome: foi excluído'])
  })

  it('tells who was deleted, in a dry run too, and makes them again without an ID alone', async () => {
    const { id } = await office.create({
      first_name: 'Davi',
      email: 'davi.id@example.org',
    })
    await office.remove(id)
    const file = csv(HEADINGS, [id, 'Davi', '', 'davi.id@example.org'])

    for (const options of [[], ['--dry-run'], ['--update']]) {
      const { code, stdout } = await office.importFile(file, ...options)
      expect(stdout).toContain('linha 2, Davi: foi excluído\nCadastrados: 0\n')
      expect(stdout).toContain('Excluídos antes, e não cadastrados de novo: 1\n')
      expect(code).toBe(0)
    }
    expect(await office.find('davi.id')).toEqual([])

    expect((await office.importFile(file.replace(id, ''))).stdout).toContain(
      'Cadastrados: 1\n',
    )
    expect(await office.find('davi.id')).toHaveLength(1)
  })

  it('says that a row lacks the ID where nothing else differs', async () => {
    const { id } = await office.create({ first_name: 'Sem', email: 'sem.id@example.org' })
    const person = ['Sem', '', 'sem.id@example.org']
    expect(await office.linesOf(csv(HEADINGS, [id, ...person], ['', ...person]))).toEqual(
      [
        'linha 2, Sem: a linha 3, da mesma pessoa, foi recusada',
        'linha 3, Sem: a mesma pessoa da linha 2, sem o ID dela',
      ],
    )
  })

  it('takes nobody with an email or CPF for a namesake who has neither', async () => {
    const headings = ['Nome', 'Sobrenome', 'E-mail', 'CPF']
    const rows = [
      ['Xara', 'Sem Nada'],
      ['Xara', 'Sem Nada', 'xara@example.org'],
      ['Xara', 'Sem Nada', '', '111.444.777-35'],
    ]
    await office.importFile(csv(headings, ...rows.slice(0, 1))) // as if cut off

    const { code, stdout } = await office.importFile(csv(headings, ...rows), '--update')
    const note =
      'já há alguém com este nome, sem e-mail nem CPF: se é a mesma pessoa, use o ID'
    expect(stdout).toContain(
      `linha 3, Xara Sem Nada: ${note}\nlinha 4, Xara Sem Nada: ${note}\nCadastrados: 2\nJá conhecidos: 1\n`,
    )
    expect([code, await office.find('Xara Sem Nada')]).toMatchObject([0, [{}, {}, {}]])
  })

  it('takes apostrophes of any shape and several blanks for one', async () => {
    const spellings = ["D'Ávila", 'D‘Ávila', 'D`ávila', 'DʼAVILA']
    const rows = ['D’Ávila', "D'Ávila", 'D´avila'].map((name, at) => [
      ['Caterina', 'CATERINA ', 'Caterina'][at],
      name,
      'BR-2026-001',
      `Grupo ${at + 1}`,
    ])
    const headings = ['Nome', 'Sobrenome', 'Processo', 'Grupo']
    const { code, stdout } = await office.importFile(csv(headings, ...rows))
    expect([code, stdout]).toEqual([0, expect.stringContaining('Cadastrados: 1\n')])
    const [found] = await office.find("caterina d'avila")
    expect(found.processes_groups).toHaveLength(3)

    for (const spelling of spellings) {
      const again = csv(['Nome completo'], [`Caterina  ${spelling}`])
      expect((await office.importFile(again)).stdout).toContain('Cadastrados: 0\n')
    }
  })

  it('settles rows with an ID first, wherever they stand', async () => {
    const pedro = await office.create({
      first_name: 'Pedro',
      email: 'pedro.id@example.org',
    })
    const own = [pedro.id, 'Pedro', 'de Tal', 'pedro.id@example.org']
    for (const rows of [
      [['', 'Abel', '', 'pedro.id@example.org'], own],
      [own, ['', 'Abel', '', 'pedro.id@example.org']],
    ]) {
      const headings = ['ID', 'Nome', 'Sobrenome', 'E-mail']
      const { code, stdout } = await office.importFile(csv(headings, ...rows), '--update')
      expect(stdout).toMatch(
        /linha \d, Abel: a mesma pessoa da linha \d, com outros dados/,
      )
      expect(code).toBe(1)
      expect(await office.read(pedro.id)).toMatchObject({ full_name: 'Pedro de Tal' })
    }
  })

  it.each([
    [
      'of which the email is corrected',
      'nova@example.org',
      'a mesma pessoa da linha 3, com outros dados',
    ],
    ['which is refused itself', 'sem arroba', 'a linha 3, da mesma pessoa, foi recusada'],
  ])('settles a row with an ID first, also one %s', async (_, corrected, problem) => {
    const email = `${corrected.length}.id@example.org`
    const { id } = await office.create({ first_name: 'Otávia', email })
    const file = csv(
      ['ID', 'Nome', 'E-mail', 'Telefone'],
      ['', 'Otávia', email, '1'],
      [id, 'Otávia', corrected],
    )
    const [line] = await office.linesOf(file, '--update')
    expect(line).toBe(`linha 2, Otávia: ${problem}`)
    expect(await office.read(id)).toMatchObject({ phone: null })
  })

  it('refuses an ID that is none, an administrator’s, or beside what is somebody else’s', async () => {
    const eva = await office.create({ first_name: 'Eva', email: 'eva.id@example.org' })
    await office.create({
      first_name: 'Flor',
      email: 'flor@example.org',
      cpf: '52998224725',
    })
    const [{ id: administrator }] = await office.call('GET', '/administrators')
    const unknown = randomUUID()
    const file = csv(
      HEADINGS,
      ['7', 'Gil'],
      [administrator, 'Rita'],
      [eva.id, 'Eva', '', 'flor@example.org'],
      [unknown, 'Flor', '', '', '529.982.247-25'],
    )
    const lines = [
      'linha 2, Gil: ID "7": não é um ID',
      'linha 3, Rita: já é administrador',
      'linha 4, Eva: o ID é de uma pessoa, e o e-mail ou o CPF de outra',
      'linha 5, Flor: ninguém tem este ID, mas o e-mail ou o CPF já está no cadastro',
    ]
    expect(await office.linesOf(file, '--update')).toEqual(lines)
    expect((await office.importFile(file, '--dry-run')).code).toBe(1)
    expect(await office.read(eva.id)).toMatchObject({ email: 'eva.id@example.org' })
  })

  it('refuses the email of one person beside the CPF of another', async () => {
    await office.create({ first_name: 'Raul', email: 'raul@example.org' })
    await office.create({ first_name: 'Rute', cpf: '39053344705' })
    const file = csv(
      ['Nome', 'E-mail', 'CPF'],
      ['Rute', 'raul@example.org', '39053344705'],
    )
    expect(await office.linesOf(file, '--update')).toEqual([
      'linha 2, Rute: o e-mail e o CPF são de pessoas diferentes',
    ])
  })

  it('refuses all rows with one ID and other data, groups and status aside', async () => {
    const { id } = await office.create({ first_name: 'Jó', email: 'jo@example.org' })
    const headings = ['ID', 'Nome', 'Telefone', 'Processo', 'Grupo', 'Situação']
    const contradicting = csv(
      headings,
      [id, 'Jó', '1', 'BR-2026-001', 'Grupo 1'],
      [id, 'Jó', '2', 'BR-2026-001', 'Grupo 2'],
    )
    expect(await office.linesOf(contradicting, '--update')).toEqual([
      'linha 2, Jó: o mesmo ID, com outros dados, na linha 3',
      'linha 3, Jó: o mesmo ID, com outros dados, na linha 2',
    ])
    expect(await office.read(id)).toMatchObject({ phone: null, processes_groups: [] })

    const agreeing = csv(
      headings,
      [id, 'Jó', '1', 'BR-2026-001', 'Grupo 1', 'Pendente'],
      [id, 'Jó', '1', 'BR-2026-001', 'Grupo 2'],
    )
    const { code, stdout } = await office.importFile(agreeing, '--update')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Alterados: 1\n')])
    expect((await office.read(id)).processes_groups).toHaveLength(2)
  })
})

describe('informers:import --update leaves what changed in the service', () => {
  const person = async (first_name: string) => {
    const { id } = await office.create({ first_name, phone: '1' })
    const { 'Atualizado em': instant = '' } = await rowOf(id)
    return { id, instant }
  }

  it('tells both values, and takes the file’s without the column', async () => {
    const { id, instant } = await person('Mara')
    await office.change(id, { phone: '2' })
    const file = csv(HEADINGS, [id, 'Mara', '', '', '', '1', instant])

    for (const options of [[], ['--dry-run']]) {
      const { code, stdout } = await office.importFile(file, '--update', ...options)
      expect(stdout).toMatch(
        /^linha 2, Mara: mudou no serviço desde a exportação: Telefone: 2 → 1\n/,
      )
      expect(stdout).toContain(
        '\nDeixados como estão no serviço: 1\n' +
          'Para pôr os valores do arquivo em quem ficou como está: o arquivo sem a coluna "Atualizado em".\n',
      )
      expect([code, (await office.read(id)).phone]).toEqual([1, '2'])
    }

    const withoutInstant = csv(HEADINGS.slice(0, -1), [id, 'Mara', '', '', '', '1'])
    const { code, stdout } = await office.importFile(withoutInstant, '--update')
    expect(stdout).toMatch(/^linha 2, Mara: alterado: Telefone: 2 → 1\n/)
    expect([code, (await office.read(id)).phone]).toEqual([0, '1'])
  })

  it('leaves a person whole, whatever a colleague changed', async () => {
    const [{ groups }] = await office.call('GET', '/processes')
    const changes = {
      'the email': (id: string) => office.change(id, { email: 'nair@example.org' }),
      'the groups': (id: string) =>
        office.call('PUT', `/informers/${id}/groups/${groups[0].id}`),
    }
    for (const [what, changeElsewhere] of Object.entries(changes)) {
      const { id, instant } = await person('Nair')
      await changeElsewhere(id)
      const before = await office.read(id)
      const headings = [...HEADINGS, 'Processo', 'Grupo']
      const row = [id, 'Nair', 'Dias', '', '', '3', instant, 'BR-2026-001', 'Grupo 2']

      expect((await office.importFile(csv(headings, row), '--update')).code).toBe(1)
      expect([what, await office.read(id)]).toEqual([what, before])
    }
  })

  it('leaves a row whose instant cannot be read', async () => {
    const { id } = await person('Odete')
    for (const instant of ['2026-01-31', '31/01/2026 12:00', '#VALOR!']) {
      const file = csv(HEADINGS, [id, 'Odete', '', '', '', '3', instant])
      expect((await office.importFile(file, '--update')).code).toBe(1)
      expect(await office.read(id)).toMatchObject({ phone: '1' })
    }
  })

  it('holds nothing back by an empty cell, or where nothing differs', async () => {
    const { id, instant } = await person('Penha')
    await office.change(id, { email: 'penha@example.org' })
    const [known] = await office.linesOf(
      csv(HEADINGS, [id, 'Penha', '', '', '', '1', instant]),
      '--update',
      '--dry-run',
    )
    expect(known).toBe('linha 2, Penha: já conhecido')

    const { code } = await office.importFile(
      csv(HEADINGS, [id, 'Penha', '', '', '', '4', '']),
      '--update',
    )
    expect([code, (await office.read(id)).phone]).toEqual([0, '4'])
  })

  it('compares the instant without the ID too', async () => {
    const { id, instant } = await person('Quitéria')
    const headings = ['Nome', 'Telefone', 'Atualizado em']
    await office.importFile(csv(headings, ['Quitéria', '5', instant]), '--update')
    expect(await office.read(id)).toMatchObject({ phone: '5' })

    await office.importFile(csv(headings, ['Quitéria', '6', instant]), '--update')
    expect(await office.read(id)).toMatchObject({ phone: '5' })
  })
})

it('informers:import tells that it ignores a status other than the service’s', async () => {
  const [row = {}] = await office.exportRows('--status', 'Concluído')
  const { ID: id, Nome: name, Sobrenome: lastName, Processo: process, Grupo: group } = row
  const headings = ['ID', 'Nome', 'Sobrenome', 'Processo', 'Grupo', 'Situação']
  const file = (status: string) =>
    csv(headings, [id, name, lastName, process, group, status])

  const { code, stdout } = await office.importFile(file('Pendente'), '--update')
  expect(stdout).toContain(': Situação "Pendente" ignorada: no serviço é Concluído\n')
  expect(code).toBe(0)
  expect(await office.linesOf(file('concluido'), '--update')).toEqual([])
})

it('informers:import never tells a password', async () => {
  await office.create({ first_name: 'Sara', email: 'sara.senha@example.org' })
  const file = csv(
    ['Nome', 'E-mail', 'Senha'],
    ['Sara', 'sara.senha@example.org', 'Segredo2026'],
  )
  expect(await office.linesOf(file, '--update')).toEqual([
    'linha 2, Sara: alterado: Senha',
  ])
})

/** The row of an informer in an export. */
async function rowOf(id: string): Promise<Record<string, string>> {
  const rows = await office.exportRows()
  return rows.find((row) => row.ID === id) ?? {}
}
