import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, demoDocument } from '../../scripts/commands/provisioning/demo.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'
import { withLossyProxy } from './service-proxy.ts'

const service = demoService()
const WRONG = 'Não foi possível provisionar: o documento tem erros, e nada foi enviado:'

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

describe('npm run provision', () => {
  const person = { first_name: 'Rui', email: 'rui@example.org' }
  const document = {
    processes: [{ protocol: 'P-1', name: 'Um processo' }],
    administrators: [person],
  }
  const report = (counts: string, ...tables: string[]) =>
    [
      '     criados      iguais  diferentes  tabela',
      ...tables.map((table) => `${counts}  ${table}`),
      '',
    ].join('\n')
  const added = report(
    '           1           0           0',
    'administrators',
    'processes',
  )
  const unchanged = report(
    '           0           1           0',
    'administrators',
    'processes',
  )

  it('reports by table what it creates, with and without --dry-run', async () => {
    expect(await provision(document, '--dry-run')).toEqual({
      code: 0,
      stdout: `${added}Foi só uma simulação: nada foi enviado.\n`,
      stderr: '',
    })
    expect(await provision(document)).toEqual({ code: 0, stdout: added, stderr: '' })
    expect(await provision(document)).toEqual({ code: 0, stdout: unchanged, stderr: '' })
    const { code, stdout } = await provision({}, '--login', 'admin@example.org')
    expect([code, stdout]).toEqual([0, report('')])
  })

  it('finds the demo data of npm start as the document has them', async () => {
    const { code, stdout, stderr } = await provision(demoDocument(), '--dry-run')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('           0         281           0  dioceses')
    expect(stdout).not.toMatch(/^ +[1-9]/m)
  })

  it('exits with 2 where something differs, and leaves it', async () => {
    const other = { ...document, administrators: [{ ...person, phone: '1' }] }
    await provision(document)
    for (const options of [['--dry-run'], []]) {
      const { code, stderr } = await provision(other, ...options)
      const line = 'administrators[0].phone: nada no serviço, "1" no documento'
      expect([code, stderr]).toEqual([2, `Ficam como estão no serviço:\n${line}\n`])
    }
  })

  it('exits with 1 where the service refuses something, and names it by its path', async () => {
    const informer = { first_name: 'Ana', email: 'ana@example.org' }
    const other = { first_name: 'Rute', email: 'rute@example.org' }
    const { code, stdout, stderr } = await provision({
      administrators: [informer, other],
    })
    const reason = 'email: Este email já está cadastrado no sistema.'
    expect(stderr).toBe(`Recusados:\nadministrators[0]: ${reason}\n`)
    expect([code, stdout]).toEqual([
      1,
      report('           1           0           0', 'administrators'),
    ])
  })

  it('names the path and the reason of what is wrong', async () => {
    const { code, stderr } = await provision({ dioceses: [{ name: 'X', state: 'x' }] })
    const reason = 'dioceses[0].state: O campo estado deve ser a sigla de um estado.'
    expect([code, stderr]).toEqual([1, `${WRONG}\n${reason}\n`])
    expect((await provision('{')).stderr).toMatch(/\nnão é JSON: /)
  })

  it('keeps the published password of the demo data out of a deployed service', async () => {
    const elsewhere = ['--url', 'https://service.example/v1']
    const { code, stdout, stderr } = await provision(demoDocument(), ...elsewhere)
    const problem =
      'administrators[0].password: é a senha publicada dos dados de demonstração'
    expect(stderr).toBe(`${WRONG}\n${problem}\n`)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('comes to its end behind a proxy that loses every twentieth request', async () => {
    const categories = Array.from({ length: 120 }, (_, at) => ({
      name: `Função ${at}`,
      description: 'Uma função.',
    }))
    const { result, lost } = await withLossyProxy(service.baseUrl, 20, (baseUrl) =>
      provision({ categories }, '--url', baseUrl),
    )
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(lost).toBeGreaterThan(5)
    const { stdout } = await provision({ categories }, '--dry-run')
    const complete = report('           0         120           0', 'categories')
    expect(stdout).toContain(complete)
  })

  it('names a file that is missing', async () => {
    const { code, stderr } = await runInProcess('provision', ['/nowhere.json'])
    expect(stderr).toBe(
      'Não foi possível provisionar: o arquivo /nowhere.json não pode ser lido (ENOENT)\n',
    )
    expect(code).toBe(1)
  })
})
