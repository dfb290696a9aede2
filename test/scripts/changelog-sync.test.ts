import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRepository } from '../support/git/repository.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

/** Runs a git command in a repository, and returns its output. */
const runGit = (folder: string, args: string[], input: string | Buffer = '') =>
  execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' }).trim()

/** Adds a commit to HEAD as it stands in the object, which git need not find valid. */
function addRawCommit(folder: string, headers: string, message: string | Buffer): void {
  const [tree, parent] = runGit(folder, ['rev-parse', 'HEAD^{tree}', 'HEAD']).split('\n')
  const head = `tree ${tree}\nparent ${parent}\n${headers}\n`
  const object = Buffer.concat([Buffer.from(`${head}\n`), Buffer.from(message)])
  const store = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
  const hash = runGit(folder, store, object)
  runGit(folder, ['update-ref', 'HEAD', hash])
}

type Entry = { version: string; date: string; title: string; description: string }
type ListedEntries = { data: Entry[]; pagination: { has_more_pages: boolean } }

describe('npm run changelog:sync', () => {
  const service = demoService()

  const history = createRepository()
  const repo = history.folder

  beforeAll(() => {
    const first = history.commit('main', 'feat: primeira função', [], 1)
    history.point('tags/v3.0.0', first)
    const side = history.commit('side', 'fix(lado): correção\n\nCom corpo.', [first], 4)
    const plain = history.commit('main', 'Sem convenção', [first], 6)
    const merge = history.commit('main', "Merge branch 'side'", [plain, side], 7)
    history.annotate('rc', merge)
    history.point('tags/v3.0', merge)
    history.commit('main', 'docs: depois', [merge], 9)
    history.flush()
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
    runGit(repo, [...identity, 'tag', '-a', 'v3.0.1', 'rc', '-m', 'a tag of a tag'])
  })
  afterAll(history.remove)

  const sync = (args: string[] = [service.baseUrl, '--repo', repo]) =>
    runInProcess('changelog-sync', args, {
      env: { ACCESS_TOKEN: service.token },
    })

  /** All entries that a query finds. */
  async function entriesOf(query = '') {
    const found: Entry[] = []
    for (let page = 1; page > 0;) {
      const url = `${service.baseUrl}/changelogs?per_page=100&page=${page}&${query}`
      const headers = { Authorization: `Bearer ${service.token}` }
      const response = await fetch(url, { headers })
      const { data, pagination } = (await response.json()) as ListedEntries
      found.push(...data)
      page = pagination.has_more_pages ? page + 1 : 0
    }
    return found
  }

  /** The versions of commits, by their titles. */
  async function versionsOf(titles: string[]) {
    const entries = new Map((await entriesOf()).map((entry) => [entry.title, entry]))
    return titles.map((title) => entries.get(title)?.version)
  }

  it('imports a history with its tags, once', async () => {
    const first = await sync()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /^3 de 4 commits\n4 de 4 commits\nRascunhos: 4; já conhecidos e merges: 0\./,
    )
    const data = await entriesOf('date_to=2026-01-01&is_published=false')
    expect(data.map(({ version, title }) => `${version} ${title}`)).toEqual([
      'v3.0.2 depois',
      'v3.0.1 Sem convenção',
      'v3.0.1 correção',
      'v3.0.0 primeira função',
    ])
    expect(data[2]?.description).toBe('Com corpo.')
    expect((await sync()).stdout).toMatch(/Rascunhos: 0; já conhecidos e merges: 4\./)
  })

  it('gives each commit the lowest version tag of the branch that contains it', async () => {
    const history = createRepository()
    const add = (title: string, ...parents: number[]) =>
      history.commit('main', `fix: ${title}`, parents, parents[0] ?? 0)
    const first = add('first')
    const late = add('late', first) // written before v4.1.0, and merged after it
    const second = add('second', first)
    history.annotate('v4.1.0', second)
    history.point('tags/v4.10.0', second)
    const merge = add('a merge', second, late)
    history.point('tags/v4.9.0', merge)
    history.point('tags/nightly', add('third', merge))
    history.point('tags/v5.0.0', history.commit('release', 'fix: beside', [first], 9))
    history.flush()
    expect((await sync([service.baseUrl, '--repo', history.folder])).code).toBe(0)
    history.remove()
    expect(
      await versionsOf(['first', 'second', 'late', 'a merge', 'third', 'beside']),
    ).toEqual(['v4.1.0', 'v4.1.0', 'v4.9.0', undefined, 'v4.10.1', undefined])
  })

  it('imports what no tag contains as one release, in several calls, with messages of any length', async () => {
    const history = createRepository()
    const base = history.commit('main', 'fix: base', [], 0)
    history.point('tags/v8.0.0', base)
    history.point('tags/v9.0.0', base)
    let head = base
    for (let number = 1; number <= 1500; number++) {
      head = history.commit('main', `fix: number ${number}`, [head], number)
    }
    const long = `feat: long\n\n${'long '.repeat(300_000)}\n\nBREAKING CHANGE: y`
    head = history.commit('main', long, [head], 1501)
    history.flush()
    const { stdout } = await sync([service.baseUrl, '--repo', history.folder])
    expect(stdout).toMatch(/^1 de 1502 commits\n[^]+\nRascunhos: 1502; /)
    expect(await versionsOf(['base', 'number 1', 'number 1500', 'long'])).toEqual([
      'v8.0.0',
      'v10.0.0',
      'v10.0.0',
      'v10.0.0',
    ])

    history.point('tags/v11.0.0', head) // of what was imported as v10.0.0
    history.commit('main', 'fix: after', [head], 1502)
    history.flush()
    const again = await sync([service.baseUrl, '--repo', history.folder])
    expect(again.stdout).toContain('Rascunhos: 1; já conhecidos e merges: 1502.')
    history.remove()
    expect(await versionsOf(['long', 'after'])).toEqual(['v10.0.0', 'v11.0.1'])
  })

  it.each([
    [
      'no address of one',
      () => sync(['x', '--repo', repo]),
      /^O endereço do serviço é https:.+\nUso: /,
    ],
    [
      'another path',
      () => sync([`${service.baseUrl}/v2`, '--repo', repo]),
      /^O endereço do serviço é https:.+\nUso: /,
    ],
    [
      'no repository',
      () => sync([service.baseUrl, '--repo', tmpdir()]),
      /^Não foi possível importar: a história em \/.+ não pode ser lida: fatal: not a git repository .+\n$/,
    ],
  ])('reports %s', async (_, run, line) => {
    const { code, stdout, stderr } = await run()
    expect(stderr).toMatch(line)
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  it('refuses a shallow clone, whose commits would get other versions', async () => {
    const clone = mkdtempSync(join(tmpdir(), 'history-'))
    execFileSync('git', ['clone', '--depth=1', `file://${repo}`, clone], {
      stdio: 'ignore',
    })
    const { code, stdout, stderr } = await sync(['http://127.0.0.1:9', '--repo', clone])
    expect(stderr).toContain('está incompleta (um clone raso): git fetch --unshallow')
    expect([code, stdout]).toEqual([1, ''])
    rmSync(clone, { recursive: true })
  })

  it('imports every commit, whatever its dates and its bytes say', async () => {
    const odd = createRepository()
    onTestFinished(odd.remove)
    odd.commit('main', 'fix: before odd commits', [], 0)
    odd.flush()
    const author = 'author A <a@example.org> 1000000000 +0000\n' // 2001-09-09
    const by = (date: string) => `${author}committer A <a@example.org>${date}`
    const year10000 = 253_402_300_800
    const dates: [string, string, string][] = [
      ['zone +051800', by(' 1500000000 +051800'), '2017-07-14'],
      ['year 9999', by(` ${year10000 - 1} -1200`), '9999-12-31'],
      ['year 10000', by(` ${year10000} +0000`), '2001-09-09'],
      ['no year', by(` ${'9'.repeat(23)} +0000`), '2001-09-09'],
      ['no date', by(''), '2001-09-09'],
      ['no date at all', 'committer A <a@example.org>', '1970-01-01'],
    ]
    for (const [title, headers] of dates) {
      addRawCommit(odd.folder, headers, `fix: ${title}`)
    }
    const date = by(' 1600000000 +0000') // 2020-09-13
    const messages: [string, string, string | Buffer][] = [
      [
        'é of Latin-1',
        `${date}\nencoding ISO-8859-1`,
        Buffer.from('fix: \xe9 of Latin-1', 'latin1'),
      ],
      [
        '\ufffd of no encoding',
        `${date}\nencoding no-such`,
        Buffer.from('fix: \xe9 of no encoding', 'latin1'),
      ],
      ['up to NUL', date, 'fix: up to NUL\0\n\0\n'],
      ['(sem mensagem)', date, ''],
    ]
    for (const [, headers, message] of messages) {
      addRawCommit(odd.folder, headers, message)
    }
    const { code, stdout, stderr } = await sync([service.baseUrl, '--repo', odd.folder])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/Rascunhos: 11; já conhecidos e merges: 0\.\n$/)
    const entries = new Map((await entriesOf()).map((entry) => [entry.title, entry.date]))
    expect(dates.map(([title]) => [title, entries.get(title)])).toEqual(
      dates.map(([title, , day]) => [title, day]),
    )
    expect(messages.map(([title]) => [title, entries.get(title)])).toEqual(
      messages.map(([title]) => [title, '2020-09-13']),
    )
  })
})
