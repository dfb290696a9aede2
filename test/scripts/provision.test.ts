import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, demoDocument } from '../../scripts/lib/demo.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

const service = demoService()
const WRONG = 'Cannot provision: the document is invalid, nothing was changed:'

/** Runs the command with the password on standard input. */
function provision(document: unknown, ...options: string[]) {
  const file = join(service.stateDir, 'document.json')
  if (document !== undefined)
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  const url = options.includes('--url') ? [] : ['--url', service.baseUrl]
  const login = ['--login', 'admin@example.org']
  return runInProcess('provision', [file, ...url, ...login, ...options], {
    input: `${DEMO_PASSWORD}\n`,
  })
}

describe('npm run provision', () => {
  const person = { first_name: 'Rui', email: 'rui@example.org' }
  const document = { processes: [{ protocol: 'P-1', name: 'Um processo' }], informers: [person] }
  const report = (counts: string, ...tables: string[]) =>
    [
      '     added   changed   removed unchanged  table',
      ...tables.map((table) => `${counts}  ${table}`),
      '',
    ].join('\n')
  const added = report('         1         0         0         0', 'processes', 'users')

  it('reports its changes by table, with and without --dry-run', async () => {
    const dryRun = `${added}This was a dry run: nothing was sent.\n`
    expect(await provision(document, '--dry-run')).toEqual({ code: 0, stdout: dryRun, stderr: '' })
    expect(await provision(document)).toEqual({ code: 0, stdout: added, stderr: '' })
    const unchanged = report('         0         0         0         1', 'processes', 'users')
    expect(await provision(document)).toEqual({ code: 0, stdout: unchanged, stderr: '' })
    expect(await provision({})).toEqual({ code: 0, stdout: report(''), stderr: '' })
  })

  it('finds the demo data of npm start as the document has them', async () => {
    const { stdout } = await provision(demoDocument(), '--dry-run')
    const changed = stdout
      .split('\n')
      .filter((line) => /^ +\d/.test(line) && !/^ +0 +0 +0 +\d+ {2}/.test(line))
    expect([changed, stdout.includes('       281  dioceses')]).toEqual([[], true])
  })

  it('names what the service refuses by its path', async () => {
    const { code, stdout, stderr } = await provision({
      administrators: [{ first_name: 'Sem email', cpf: '52998224725' }],
      informers: [
        { ...person, email: 'outro@example.org', cpf: '11144477735', allow_same_name: true },
      ],
    })
    expect(stderr).toMatch(/^Refused:\nadministrators\[0\]: email: .+\n$/)
    expect([code, stdout]).toEqual([1, report('         1         0         0         0', 'users')])
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
    expect(first).toBe('administrators[0].password: is the published password of the demo data')
    expect(more).toHaveLength(3)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('names a file that is missing', async () => {
    const { code, stderr } = await runInProcess('provision', ['/nowhere.json'])
    expect(stderr).toMatch(/^Cannot provision: ENOENT: .+\n$/)
    expect(code).toBe(1)
  })
})
