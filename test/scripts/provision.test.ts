import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/lib/service-process.ts'
import { runInProcess } from './in-process.ts'

const { stateDir, remove } = temporaryState()
afterAll(remove)

/** Without an account, so that no test can reach one. */
const ENV = { STATE_DIR: stateDir, HOME: stateDir, XDG_CONFIG_HOME: stateDir, CLOUDFLARE_API_TOKEN: '' }
const WRONG = 'Cannot provision: the document is invalid, nothing was changed:'

const run = (args: string[]) => runInProcess('provision', args, { env: ENV })

function provision(document: unknown, ...options: string[]) {
  const file = join(stateDir, 'document.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  return run([file, ...options])
}

describe('npm run provision', () => {
  const document = {
    processes: [{ protocol: 'P-1', name: 'Um processo' }],
    informers: [{ first_name: 'Rui', email: 'rui@example.org' }],
  }
  const report = (...lines: string[]) =>
    ['     added   changed   removed unchanged  table', ...lines, ''].join('\n')
  const added = report(
    '         1         0         0         0  processes',
    '         1         0         0         0  users',
  )

  it('reports its changes by table, with and without --dry-run', async () => {
    const dryRun = { code: 0, stdout: `${added}This was a dry run: nothing was written.\n`, stderr: '' }
    expect(await provision(document, '--dry-run')).toEqual(dryRun)
    expect(await provision(document)).toEqual({ code: 0, stdout: added, stderr: '' })
    const unchanged = added.replaceAll(
      '         1         0         0         0',
      '         0         0         0         1',
    )
    expect(await provision(document)).toEqual({ code: 0, stdout: unchanged, stderr: '' })
    expect(await provision({})).toEqual({ code: 0, stdout: report(), stderr: '' })
  })

  it.each([
    ['{', /^not JSON: /],
    [{ dioceses: [{ name: 'X', state: 'x' }] }, /^dioceses\[0\]\.state: must be/],
  ])('names the path and the reason of %j', async (document, problem) => {
    const { code, stderr } = await provision(document)
    const [heading, first] = stderr.split('\n')
    expect(heading).toBe(WRONG)
    expect(first).toMatch(problem)
    expect(code).toBe(1)
  })

  it.each([
    ['the demo document', 'scripts/provisioning/demo.json', 4],
    ['one person', { administrators: [{ ...document.informers[0], password: 'Provisao2026' }] }, 1],
  ])('keeps the published password of %s out of the deployed database', async (_, document, count) => {
    const { code, stdout, stderr } =
      typeof document === 'string' ? await run([document, '--remote']) : await provision(document, '--remote')
    const [heading, first, ...more] = stderr.trimEnd().split('\n')
    expect(heading).toBe(WRONG)
    expect(first).toBe('administrators[0].password: is the published password of the demo data')
    expect(more).toHaveLength(count - 1)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('names a file that is missing', async () => {
    const { code, stderr } = await run(['/nowhere.json'])
    expect(stderr).toMatch(/^Cannot provision: ENOENT: .+\n$/)
    expect(code).toBe(1)
  })
})
