import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, demoDocument } from '../../scripts/commands/provisioning/demo.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

const service = demoService()
const WRONG = 'Não foi possível provisionar: o documento tem erros, e nada foi enviado:'
const PROTOCOL = 'BR-2026-001'

/** Runs the command with an access token, or the password of `--login` on standard input. */
function provision(document: object | string | Uint8Array, ...options: string[]) {
  const file = join(service.stateDir, 'document.json')
  const isContent = typeof document === 'string' || document instanceof Uint8Array
  writeFileSync(file, isContent ? document : JSON.stringify(document))
  const url = options.includes('--url') ? [] : ['--url', service.baseUrl]
  return runInProcess('provision', [file, ...url, ...options], {
    env: { ACCESS_TOKEN: service.token },
    input: `${DEMO_PASSWORD}\n`,
  })
}

const row = (table: string, created: unknown, known: unknown) =>
  `${String(created).padStart(12)}${String(known).padStart(12)}  ${table}\n`
const report = (...rows: [table: string, created: number, known: number][]) =>
  [row('tabela', 'criados', 'existentes'), ...rows.map((cells) => row(...cells))].join('')

/** The rows of a table, as the service stores them. */
async function stored(sql: string) {
  return (await service.database.prepare(sql).all()).results
}

describe('npm run provision', () => {
  const group = { name: 'Novo', color: '#000000', description: 'Novo.' }

  it('creates what is not there, once, and tells it by table', async () => {
    const document = {
      categories: [{ name: 'Nova', description: 'Nova.' }],
      dioceses: [
        { name: 'Diocese Nova', state: 'SP' },
        { name: 'Diocese Nova', state: 'RJ' },
      ],
      processes: [
        {
          protocol: 'P-1',
          name: 'Um processo',
          groups: [{ ...group, questionnaires: ['Um', 'Outro'] }],
        },
        {
          protocol: PROTOCOL,
          name: 'Provisão da Diocese de Vila Serena',
          groups: [
            { ...group, questionnaires: ['Um'] },
            { ...group, name: 'Grupo 1', questionnaires: ['Um'] },
          ],
        },
      ],
    }
    const added = report(
      ['categories', 1, 0],
      ['dioceses', 2, 0],
      ['processes', 1, 1],
      ['groups', 1, 1],
      ['questionnaires', 1, 0],
    )
    const titles = () =>
      stored(
        `select protocol, groups.name as name, title from questionnaires
         join groups on groups.id = group_id join processes on processes.id = process_id
         where title in ('Um', 'Outro') order by protocol, groups.name, title`,
      )

    expect(await provision(document, '--dry-run')).toEqual({
      code: 0,
      stdout: `${added}Foi só uma simulação: nada foi enviado.\n`,
      stderr: '',
    })
    expect(await titles()).toEqual([])

    expect(await provision(document)).toEqual({ code: 0, stdout: added, stderr: '' })
    expect(await titles()).toEqual([
      { protocol: PROTOCOL, name: 'Grupo 1', title: 'Um' },
      { protocol: PROTOCOL, name: 'Novo', title: 'Um' },
      { protocol: 'P-1', name: 'Novo', title: 'Outro' },
      { protocol: 'P-1', name: 'Novo', title: 'Um' },
    ])
    const known = report(
      ['categories', 0, 1],
      ['dioceses', 0, 2],
      ['processes', 0, 2],
      ['groups', 0, 3],
      ['questionnaires', 0, 4],
    )
    const again = await provision(document, '--login', 'admin@example.org')
    expect(again).toMatchObject({ code: 0, stdout: known })
  })

  it('changes nothing that is there', async () => {
    const select = 'select name, active, updated_at from dioceses order by id limit 1'
    const before = await stored(select)
    const [{ name, state, ...diocese } = { name: '', state: '' }] = demoDocument.dioceses
    const dioceses = [{ ...diocese, name: name.toUpperCase(), state, active: false }]
    expect(await provision({ dioceses })).toEqual({
      code: 0,
      stdout: report(['dioceses', 0, 1]),
      stderr: '',
    })
    expect(await stored(select)).toEqual(before)
  })

  it('exits with 1 where the service refuses a row, names it, and creates the rest', async () => {
    const category = { name: 'Repetida', description: 'x' }
    const { code, stdout, stderr } = await provision({
      categories: [category, { ...category, name: 'repetida' }],
    })
    expect([code, stdout]).toEqual([1, report(['categories', 1, 0])])
    expect(stderr).toMatch(
      /^Recusados:\ncategories\[[01]\]: name: Este nome já está cadastrado\.\n$/,
    )
  })

  const inWindows1252 = Buffer.from(
    '{"dioceses":[{"name":"Ermitão","state":"AC"}]}',
    'latin1',
  )

  it.each<[string, object | string | Uint8Array, string]>([
    [
      'of another encoding',
      inWindows1252,
      'não é JSON em UTF-8: The encoded data was not valid for encoding utf-8',
    ],
    [
      'with an unknown part',
      { administrators: [] },
      'documento: Chave inválida: "administrators"',
    ],
    [
      'that is no object',
      [],
      'documento: Entrada inválida: esperava um objeto, recebeu um vetor',
    ],
    [
      'with wrong rows, all of them',
      {
        dioceses: [{ name: 'X', state: 'x' }],
        processes: [
          { protocol: 'P', name: 'X', groups: [{ ...group, questionnaires: [5] }] },
        ],
      },
      'dioceses[0].state: O campo estado deve ser a sigla de um estado.\n' +
        'processes[0].groups[0].questionnaires[0]: O campo título deve ser um texto.',
    ],
  ])('refuses a document %s, before anything is sent', async (_, document, problem) => {
    const nowhere = ['--url', 'http://127.0.0.1:1/v1']
    expect(await provision(document, ...nowhere)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${WRONG}\n${problem}\n`,
    })
  })

  it('takes a byte order mark', async () => {
    const { code, stdout } = await provision('\uFEFF{}', '--dry-run')
    expect([code, stdout]).toEqual([0, expect.stringContaining(report())])
  })

  it('names a file that is missing, and says what is no JSON', async () => {
    const { code, stderr } = await runInProcess('provision', ['/nowhere.json'])
    expect([code, stderr]).toEqual([
      1,
      'Não foi possível provisionar: o arquivo /nowhere.json não pode ser lido (ENOENT)\n',
    ])
    expect((await provision('{')).stderr).toMatch(/\nnão é JSON em UTF-8: /)
  })
})
