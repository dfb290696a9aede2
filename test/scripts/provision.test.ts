import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, demoDocument } from '../../scripts/lib/demo.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'
import { withLossyProxy } from './service-proxy.ts'

const service = demoService()
const WRONG = 'Cannot provision: the document is invalid, nothing was changed:'

/** Runs the command with an access token, or the password of `--login` on standard input. */
function provision(document: unknown, ...options: string[]) {
  const file = join(service.stateDir, 'document.json')
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  writeFileSync(file, text)
  const url = options.includes('--url') ? [] : ['--url', service.baseUrl]
  return runInProcess('provision', [file, ...url, ...options], {
    env: { ACCESS_TOKEN: service.token },
    input: `${DEMO_PASSWORD}\n`,
  })
}

/** Calls the service as the administrator. */
async function call(method: string, path: string) {
  const headers = { Authorization: `Bearer ${service.token}` }
  const response = await fetch(service.baseUrl + path, { method, headers })
  return (await response.json()) as { data: { id: string }[] }
}

const idOf = async (email: string) =>
  (await call('GET', `/informers?search=${email}`)).data[0]?.id

describe('npm run provision', () => {
  const person = { first_name: 'Rui', email: 'rui@example.org' }
  const document = {
    processes: [{ protocol: 'P-1', name: 'Um processo' }],
    informers: [person],
  }
  const report = (counts: string, ...tables: string[]) =>
    [
      '     added   changed   removed unchanged  table',
      ...tables.map((table) => `${counts}  ${table}`),
      '',
    ].join('\n')
  const added = report('         1         0         0         0', 'processes', 'users')

  it('reports its changes by table, with and without --dry-run', async () => {
    const dryRun = `${added}This was a dry run: nothing was sent.\n`
    expect(await provision(document, '--dry-run')).toEqual({
      code: 0,
      stdout: dryRun,
      stderr: '',
    })
    expect(await provision(document)).toEqual({ code: 0, stdout: added, stderr: '' })
    const unchanged = report(
      '         0         0         0         1',
      'processes',
      'users',
    )
    expect(await provision(document)).toEqual({ code: 0, stdout: unchanged, stderr: '' })
    const login = ['--login', 'admin@example.org']
    expect(await provision({}, ...login)).toEqual({
      code: 0,
      stdout: report(''),
      stderr: '',
    })
  })

  it('finds the demo data of npm start as the document has them', async () => {
    const { stdout } = await provision(demoDocument(), '--dry-run')
    const changed = stdout
      .split('\n')
      .filter((line) => /^ +\d/.test(line) && !/^ +0 +0 +0 +\d+ {2}/.test(line))
    expect([changed, stdout.includes('       281  dioceses')]).toEqual([[], true])
  })

  it('names what the service refuses by its path', async () => {
    const deleted = { first_name: 'Efraim', email: 'efraim@example.org' }
    await provision({ informers: [deleted] })
    await call('DELETE', `/informers/${await idOf(deleted.email)}`)
    const { code, stdout, stderr } = await provision({
      informers: [
        deleted,
        {
          ...person,
          email: 'outro@example.org',
          cpf: '11144477735',
          allow_same_name: true,
        },
      ],
    })
    expect(stderr).toBe(
      'Refused:\ninformers[0]: O registro criado com esta chave foi excluído.\n',
    )
    expect([code, stdout]).toEqual([
      1,
      report('         1         0         0         0', 'users'),
    ])
  })

  it('names the path and the reason of what is wrong', async () => {
    const { code, stderr } = await provision({ dioceses: [{ name: 'X', state: 'x' }] })
    const reason = 'dioceses[0].state: O campo estado deve ser a sigla de um estado.'
    expect([code, stderr]).toEqual([1, `${WRONG}\n${reason}\n`])
    expect((await provision('{')).stderr).toMatch(/\nnot JSON: /)
  })

  it('keeps the published password of the demo data out of a deployed service', async () => {
    const elsewhere = ['--url', 'https://service.example/v1']
    const { code, stdout, stderr } = await provision(demoDocument(), ...elsewhere)
    const [heading, first, ...more] = stderr.trimEnd().split('\n')
    expect(heading).toBe(WRONG)
    expect(first).toBe(
      'administrators[0].password: is the published password of the demo data',
    )
    expect(more).toHaveLength(3)
    expect([code, stdout]).toEqual([1, ''])
  })

  it.each([[[]], [['--dry-run']]])(
    'hints at a group without cover texts, with %j',
    async (args) => {
      const group = (name: string) => ({ name, color: '#000000', description: 'X' })
      const groups = [group('grupo 1'), group('Clero')]
      const processes = [
        { protocol: 'P-2', name: 'Um processo', groups },
        { protocol: 'P-3', name: 'Outro', groups: [group('Clero'), group('Leigos')] },
      ]
      const { code, stderr } = await provision({ processes }, ...args)
      const rest = 'Its cover will show no lines of secrecy.'
      expect(stderr).toBe(
        [
          `Hint: COVER_TEXTS of wrangler.toml has no group "Clero". ${rest}`,
          `Hint: COVER_TEXTS of wrangler.toml has no group "Leigos". ${rest}`,
          '',
        ].join('\n'),
      )
      expect(code).toBe(0)
    },
  )

  it('comes to its end behind a proxy that loses every twentieth request', async () => {
    const informers = Array.from({ length: 60 }, (_, at) => ({
      first_name: 'Rita',
      last_name: `Número ${at}`,
      email: `rita${at}@example.org`,
      groups: [
        { protocol: 'BR-2026-001', group: 'Grupo 1', completed: ['Situação da diocese'] },
      ],
    }))
    const { result, lost } = await withLossyProxy(service.baseUrl, 20, (baseUrl) =>
      provision({ informers }, '--url', baseUrl),
    )
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(lost).toBeGreaterThan(5)
    const { stdout } = await provision({ informers }, '--dry-run')
    const unchanged = report(
      '         0         0         0        60',
      'users',
      'informer_groups',
    )
    expect(stdout).toContain(unchanged)
  })

  it('names a file that is missing', async () => {
    const { code, stderr } = await runInProcess('provision', ['/nowhere.json'])
    expect(stderr).toMatch(/^Cannot provision: ENOENT: .+\n$/)
    expect(code).toBe(1)
  })
})
