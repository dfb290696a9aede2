import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, logIn } from '../../scripts/commands/provisioning/demo.ts'
import { runInProcess } from './in-process.ts'
import { withProxy, withServer } from './service-proxy.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

const GROUPS = ['Grupo 1', 'Grupo 2', 'Grupo 3']

/** Starts the command as a process of its own. */
function start(baseUrl: string, file: string, token = office.service.token) {
  const env = { ...process.env, ACCESS_TOKEN: token }
  return spawn(
    process.execPath,
    ['scripts/commands/informers-import.ts', baseUrl, file],
    {
      env,
      stdio: 'ignore',
    },
  )
}

describe('informers:import brings people in whole or not at all', () => {
  it('240 with three groups each, killed six times and repeated', async () => {
    const people = Array.from({ length: 240 }, (_, at) =>
      GROUPS.map((group) => [
        'Inteira',
        `inteira${at}@example.org`,
        'BR-2026-001',
        group,
      ]),
    )
    const content = csv(['Nome', 'E-mail', 'Processo', 'Grupo'], ...people.flat())
    const file = office.fileOf(content)

    for (const requests of [25, 31, 37, 29, 33, 35]) {
      let kill = () => {}
      const lose = async (count: number, _: unknown, forward: () => Promise<void>) => {
        if (count === requests) kill()
        await forward().catch(() => {}) // nobody is there for the response
      }
      await withProxy(office.service.baseUrl, lose, async (baseUrl) => {
        const child = start(baseUrl, file)
        kill = () => child.kill('SIGKILL')
        expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
      })
    }

    const { code, stdout } = await office.importFile(content)
    expect(stdout).toMatch(/\nRecusados: 0\n(Sem mensagem: .+\n)?$/)
    const found = await findAll('inteira')
    const groups = found.map(({ processes_groups }) =>
      processes_groups.map(({ group }) => group.name),
    )
    expect([code, groups]).toEqual([0, Array(240).fill(GROUPS)])
  })
})

describe('informers:import refuses all rows of a person with a refused row', () => {
  const headings = ['ID', 'Nome', 'E-mail', 'CPF', 'Telefone', 'Processo', 'Grupo']
  const PEOPLE = [
    ['email', 'Parcial', 'parcial@example.org', ''],
    ['CPF', 'Parcial', '', '111.444.777-35'],
    ['name', 'Só Parcial', '', ''],
  ] as const
  const REFUSED_CELLS = [
    ['a telephone without its digits', '1.2E10', 'Grupo 2'],
    ['an error as group', '1', '#N/D'],
    ['other data', '2', 'Grupo 2'],
    ['an empty telephone', '', 'Grupo 2'],
  ] as const
  const cases = PEOPLE.flatMap(([identifier, ...person]) =>
    REFUSED_CELLS.map(([what, ...cells]) => ({ identifier, person, what, cells })),
  )

  it.each(cases)('by $identifier, for $what', async ({ person, cells }) => {
    const [phone, group] = cells
    const rows = [
      ['', ...person, '1', 'BR-2026-001', 'Grupo 1'],
      ['', ...person, phone, 'BR-2026-001', group],
    ]
    for (const inOrder of [rows, rows.toReversed()]) {
      const { code, stdout } = await office.importFile(csv(headings, ...inOrder))
      expect(stdout).toMatch(/^linha \d, .+: a linha \d, da mesma pessoa, foi recusada$/m)
      expect(stdout).toContain('Cadastrados: 0\n')
      expect([code, await office.find('Parcial')]).toEqual([1, []])
    }
  })

  it.each(['', ' with an ID'])('with --update too%s', async (withId) => {
    const email = `metade${withId.length}@example.org`
    const { id } = await office.create({ first_name: 'Metade', email })
    const person = [withId && id, 'Metade', email, '']
    const file = csv(
      headings,
      [...person, '1', 'BR-2026-001', 'Grupo 1'],
      [...person, '1.2E10', 'BR-2026-001', 'Grupo 2'],
    )
    expect((await office.importFile(file, '--update')).code).toBe(1)
    expect(await office.read(id)).toMatchObject({ phone: null, processes_groups: [] })
  })

  it.each([
    ['without a name', ['', '', '', '', '#N/D', 'BR-2026-001', 'Grupo 2']],
    ['whose email is the bad cell', ['', 'Alheia', '#N/D', '', '', '', '']],
    ['whose email is none', ['', 'Alheia', 'sem arroba', '', '', '', '']],
    ['with another’s name and an email', ['', 'Alheia', 'a@example.org', '1']],
  ])('but a row %s alone', async (_, row) => {
    const file = csv(headings, ['', 'Alheia'], row)
    const { code, stdout } = await office.importFile(file, '--dry-run')
    expect(stdout).toMatch(/^linha 2, Alheia: novo$/m)
    expect([code, stdout]).toEqual([1, expect.stringContaining('\nRecusados: 1\n')])
  })
})

describe('informers:import --update that was cut off between a person and the groups', () => {
  const headings = ['Nome', 'E-mail', 'Telefone', 'Processo', 'Grupo', 'Atualizado em']

  /** Somebody without a group, and rows with another telephone and two groups. */
  async function cutOff(email: string, withInstant: boolean) {
    const person = { first_name: 'Cortada', email }
    const { id, updated_at } = await office.create(person)
    const instant = withInstant ? updated_at : undefined
    const rows = GROUPS.slice(0, 2).map((group) => [
      person.first_name,
      email,
      '2',
      'BR-2026-001',
      group,
      instant,
    ])
    const content = csv(withInstant ? headings : headings.slice(0, -1), ...rows)

    const { code } = await withServer(
      office.service.baseUrl,
      async ({ method }, response, forward) => {
        if (method !== 'PUT') return forward()
        response.writeHead(503, { 'Retry-After': '61' }).end('{"message":"Agora não."}')
      },
      (baseUrl) => runImport(baseUrl, office.fileOf(content), '--update'),
    )
    const { phone, processes_groups } = await office.read(id)
    expect([code, phone, processes_groups]).toEqual([1, '2', []])
    return { id, content }
  }

  const groupsOf = async (id: string) =>
    ((await office.read(id)) as Found).processes_groups.map(({ group }) => group.name)

  it('is completed by its repetition', async () => {
    const { id, content } = await cutOff('cortada1@example.org', false)
    expect((await office.importFile(content, '--update')).code).toBe(0)
    expect(await groupsOf(id)).toEqual(['Grupo 1', 'Grupo 2'])
  })

  it('with the instants of an export leaves the person, tells what is missing and exits with 1', async () => {
    const { id, content } = await cutOff('cortada2@example.org', true)
    const { code, stdout } = await office.importFile(content, '--update')
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^linha 2, 3, Cortada: mudou no serviço desde a exportação: Grupo: \(vazio\) → Grupo 1, Grupo 2\n/,
      ),
    ])

    const withoutInstants = content.replace(/;"[^"]*"$/gm, '')
    expect((await office.importFile(withoutInstants, '--update')).code).toBe(0)
    expect(await groupsOf(id)).toEqual(['Grupo 1', 'Grupo 2'])
  })
})

describe('informers:import deletes nobody', () => {
  it('who was created by somebody else while it ran, whom the next run tells', async () => {
    const rows = [['Só Nome'], ['Outro Só Nome']]
    const content = csv(['Nome'], ...rows)
    const file = office.fileOf(content)
    const [{ groups }] = await office.call('GET', '/processes')
    const hers = {
      first_name: 'Só Nome',
      phone: '(11) 5555-0100',
      password: 'Senha2026',
      group_id: groups[0].id,
    }
    const first = Promise.withResolvers<void>()
    const { code } = await withProxy(
      office.service.baseUrl,
      async (count, _, forward) => {
        if (count > 1) {
          await first.promise
          await office.create(hers)
        }
        await forward()
        first.resolve()
      },
      (baseUrl) => runImport(baseUrl, file),
    )

    expect(code).toBe(0)
    const found = await findAll('Só Nome')
    expect(found.map(({ phone }) => phone)).toContain('(11) 5555-0100')
    expect(await office.importFile(content)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        'linha 2, Só Nome: há várias pessoas com este nome, sem e-mail nem CPF\n',
      ),
    })
  })

  it('nor creates anybody twice who has an email, when two administrators import at once', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => [
      'Dupla',
      `dupla${at}@example.org`,
    ])
    const content = csv(['Nome', 'E-mail'], ...rows)
    const { baseUrl, token } = office.service
    const colleague = { first_name: 'Rita', email: 'rita@example.org' }
    await office.call('POST', '/administrators', {
      ...colleague,
      password: DEMO_PASSWORD,
    })
    const tokens = [token, await logIn(baseUrl, colleague.email)]
    const runs = tokens.map((each) => start(baseUrl, office.fileOf(content), each))
    await Promise.all(runs.map((child) => once(child, 'close')))

    expect(await office.find('dupla')).toHaveLength(30)
    expect(await office.importFile(content)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Já conhecidos: 30\n'),
    })
  })
})

describe('informers:import refuses whom it created before, and who has changed since', () => {
  it.each([
    ['email', { email: 'renomeada0@example.org' }, 'renomeada0@example.com'],
    ['name', { first_name: 'Rosália', email: null }, 'renomeada1@example.com'],
  ])('by %s', async (_, change, email) => {
    const content = csv(['Nome', 'E-mail', 'Telefone'], ['Renata', email, '1'])
    await office.importFile(content)
    const [{ id }] = await office.find(email)
    await office.change(id, change)

    const files = [
      [content, /^linha 2, Renata: foi cadastrado com estes dados, e agora é .+\n/],
      [content.replace('"1"', '"2"'), /^linha 2, Renata: foi cadastrado há menos .+\n/],
    ] as const
    for (const [file, line] of files) {
      const { code, stdout } = await office.importFile(file)
      expect(stdout).toMatch(line)
      expect([code, stdout]).toEqual([1, expect.stringContaining('Cadastrados: 0\n')])
    }
    expect(await office.find(email)).toEqual([])
  })
})

it('informers:import tells last how many got no mail, and where they get a password', async () => {
  const email = (name: string) => `${name}.mensagem@example.org`
  const file = csv(
    ['Nome', 'E-mail', 'Senha', 'Confirmar e-mail'],
    ['Nina', email('nina')],
    ['Nilo', email('nilo'), '', 'não'],
    ['Noel', email('noel'), '', 'sim'],
    ['Nair', email('nair'), 'Senha2026'],
    ['Neto Sem Mensagem'],
  )
  const told =
    'Sem mensagem: 2. Quem entrou com e-mail, sem senha e sem confirmar o e-mail ' +
    'pede a senha em /redefinir-senha.'
  for (const options of [['--dry-run'], []]) {
    const { code, stdout } = await office.importFile(file, ...options)
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, told])
  }
  expect((await office.importFile(file)).stdout).not.toContain('Sem mensagem')
})

it('informers:import tells the groups that stay', async () => {
  const groupsOf = (...groups: string[]) =>
    csv(
      ['Nome', 'Processo', 'Grupo'],
      ...groups.map((group) => ['Fica', 'BR-2026-001', group]),
    )
  await office.importFile(csv(['Nome'], ['Fica']))
  expect(await office.linesOf(groupsOf('Grupo 5'), '--update')).toEqual([
    'linha 2, Fica: alterado: Grupo: (vazio) → Grupo 5',
  ])
  expect(await office.linesOf(groupsOf('Grupo 6'), '--update')).toEqual([
    'linha 2, Fica: alterado: Grupo: Grupo 6 (continua em: Grupo 5)',
  ])
  expect(await office.linesOf(groupsOf('Grupo 6', 'Grupo 5'), '--update')).toEqual([])

  const sameName = csv(['Nome', 'Processo', 'Grupo'], ['Fica', 'BR-2026-002', 'Grupo 6'])
  expect(await office.linesOf(sameName)).toEqual([
    'linha 2, Fica: já está no cadastro, e difere em: Grupo: Grupo 6 de BR-2026-002 ' +
      '(continua em: Grupo 5 de BR-2026-001, Grupo 6 de BR-2026-001)',
  ])
})

it('informers:import reads each page of known people once', async () => {
  const names = Array.from({ length: 40 }, (_, at) => ['Maria', `Do Nome ${at}`])
  const file = office.fileOf(csv(['Nome', 'Sobrenome'], ...names))
  for (const created of [40, 0]) {
    const reads: string[] = []
    const { stdout } = await withServer(
      office.service.baseUrl,
      ({ method, url = '' }, _, forward) => {
        if (method === 'GET') reads.push(url)
        return forward()
      },
      (baseUrl) => runImport(baseUrl, file),
    )
    expect(stdout).toContain(`Cadastrados: ${created}\n`)
    expect(reads).not.toEqual([])
    expect(reads).toEqual([...new Set(reads)])
  }
})

it('informers:import sends a key that repeats and does not tell the CPF', async () => {
  const cpf = '11144477735'
  const file = office.fileOf(csv(['Nome', 'CPF'], ['Chave', cpf]))
  const keys: unknown[] = []
  for (const _ of ['first', 'after the deletion']) {
    await withServer(
      office.service.baseUrl,
      ({ headers, method }, __, forward) => {
        if (method === 'POST') keys.push(headers['idempotency-key'])
        return forward()
      },
      (baseUrl) => runImport(baseUrl, file),
    )
    for (const { id } of await office.find(cpf)) await office.remove(id)
  }
  const [first, second] = keys
  expect(first).toMatch(/^[\da-f]{64}$/)
  expect(second).toBe(first)
  const plain = [cpf, `informers ${cpf}`].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  )
  expect(plain).not.toContain(first)
})

it('informers:import sets the password of the file where a new email ends one that came by a link', async () => {
  const person = { first_name: 'Lina', email: 'lina@exemple.org', password: 'Senha2026' }
  const { id } = await office.create(person)
  const byLink = 'update users set password_by_link = true where id = ?'
  await office.service.database.prepare(byLink).bind(id).run()
  const file = csv(
    ['ID', 'Nome', 'E-mail', 'Senha'],
    [id, 'Lina', 'lina@example.org', 'Outra2026'],
  )
  expect((await office.importFile(file, '--update')).code).toBe(0)
  expect(await office.read(id)).toMatchObject({
    email: 'lina@example.org',
    has_password: true,
  })
})

function runImport(baseUrl: string, file: string, ...options: string[]) {
  const env = { ACCESS_TOKEN: office.service.token }
  return runInProcess('informers-import', [baseUrl, file, ...options], { env })
}

type Found = { phone: string | null; processes_groups: { group: { name: string } }[] }

/** All informers with a text in their name or email. */
async function findAll(text: string): Promise<Found[]> {
  const pages = [1, 2, 3].map((page) =>
    office.call(
      'GET',
      `/informers?per_page=100&page=${page}&search=${encodeURIComponent(text)}`,
    ),
  )
  return (await Promise.all(pages)).flat()
}
