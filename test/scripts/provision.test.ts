import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { npmRun, temporaryState } from '../../scripts/lib/service-process.ts'

const { stateDir, remove } = temporaryState()
afterAll(remove)

/** Without an account, so that no test can reach one. */
const ENV = { STATE_DIR: stateDir, HOME: stateDir, XDG_CONFIG_HOME: stateDir, CLOUDFLARE_API_TOKEN: '' }

function provision(document: unknown) {
  const file = join(stateDir, 'document.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  return npmRun('provision', [file], ENV).ended
}

describe('npm run provision', () => {
  it('applies a document to an empty database, and nothing the second time', async () => {
    const document = { processes: [{ protocol: 'P-1', name: 'Um processo' }] }
    const first = await provision(document)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/1 {2}processes/)
    expect((await provision(document)).stdout).toMatch(/0 {2}processes/)
  })

  it.each([
    ['{', /is wrong, nothing was changed:\nnot JSON: /],
    [{ dioceses: [{ name: 'X', state: 'x' }] }, /nothing was changed:\ndioceses\[0\]\.state: must be/],
  ])('names the path and the reason of %j', async (document, said) => {
    const { code, stderr } = await provision(document)
    expect(stderr).toMatch(said)
    expect(code).toBe(1)
  })

  it('keeps the published password of the demo data out of the deployed database', async () => {
    const args = ['scripts/provisioning/demo.json', '--remote']
    const { code, stdout, stderr } = await npmRun('provision', args, ENV).ended
    const [heading, first, ...more] = stderr.trimEnd().split('\n')
    expect(heading).toBe('The document is wrong, nothing was changed:')
    expect(first).toBe("administrators[0].password: is the demo data's, which everybody knows")
    expect(more).toHaveLength(3)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('tells that there is nothing in a document', async () => {
    const said = { code: 0, stdout: 'There is nothing in the document: no rows were written.\n', stderr: '' }
    expect(await provision({})).toEqual(said)
  })

  it('tells how it is used', async () => {
    const { code, stdout } = await npmRun('provision', ['--help'], ENV).ended
    expect(stdout).toMatch(/^Usage: npm run provision -- FILE \[--remote\]\n/)
    expect(code).toBe(0)
  })

  it.each([
    [[], /^Usage: /],
    [['a', 'b'], /^Usage: /],
    [['a', '--remot'], /^Unknown option '--remot'.*\nUsage: /],
    [['/nowhere.json'], /^ENOENT: .+\n$/],
  ])('with %j says what it needs', async (args, said) => {
    const { code, stderr } = await npmRun('provision', args, ENV).ended
    expect(stderr.replace('Cannot provision:\n', '')).toMatch(said)
    expect(code).toBe(1)
  })
})
