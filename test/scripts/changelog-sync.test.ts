import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRepository } from '../support/git/repository.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

const repo = mkdtempSync(join(tmpdir(), 'history-'))
const empty = mkdtempSync(join(tmpdir(), 'history-'))

/** Git settings of users that would change its output. */
const userConfig = (gpg: string) => `[gpg]
  program = ${gpg}
[log]
  showSignature = true
  date = relative
  decorate = full
  showRoot = false
  follow = true
[format]
  pretty = oneline
[color]
  ui = always
[core]
  abbrev = 4
  pager = false
[i18n]
  logOutputEncoding = ISO-8859-1
[tag]
  sort = -refname
`

/** Runs a git command in the repository of the test, at its own date. */
function git(minute: number, ...args: string[]): void {
  const date = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.org',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  }
  execFileSync('git', ['-C', repo, ...args], { env, stdio: 'ignore' })
}

const commit = (minute: number, message: string) =>
  git(minute, 'commit', '--allow-empty', '-m', message)

/** Runs a git command in a repository, and returns its output. */
const runGit = (folder: string, args: string[], input: string | Buffer = '') =>
  execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' }).trim()

/** Adds a commit to HEAD as it stands in the object, which git need not find valid. */
function addRawCommit(folder: string, headers: string, message: string | Buffer): string {
  const [tree, parent] = runGit(folder, ['rev-parse', 'HEAD^{tree}', 'HEAD']).split('\n')
  const head = `tree ${tree}\nparent ${parent}\n${headers}\n`
  const object = Buffer.concat([Buffer.from(`${head}\n`), Buffer.from(message)])
  const store = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
  const hash = runGit(folder, store, object)
  runGit(folder, ['update-ref', 'HEAD', hash])
  return hash
}

/** A signed commit, so that git could print its signature. */
function commitSigned(message: string, date: string): void {
  const by = `A <a@example.org> ${Date.parse(date) / 1000} +0000`
  const signature = `gpgsig -----BEGIN PGP SIGNATURE-----
 
 x
 -----END PGP SIGNATURE-----
`
  addRawCommit(repo, `author ${by}\ncommitter ${by}\n${signature}`, `${message}\n`)
}

type Entry = { version: string; date: string; title: string; description: string }
type ListedEntries = { data: Entry[]; pagination: { has_more_pages: boolean } }

describe('npm run changelog:sync', () => {
  const service = demoService()

  beforeAll(async () => {
    git(0, 'init', '-b', 'main')
    commit(1, 'feat: primeira função')
    git(2, 'tag', 'v3.0.0')
    git(3, 'checkout', '-b', 'side')
    commit(4, 'fix(lado): correção\n\nCom corpo.')
    git(5, 'checkout', 'main')
    commit(6, 'Sem convenção')
    git(7, 'merge', '--no-ff', 'side', '-m', "Merge branch 'side'")
    git(8, 'tag', '-a', 'rc', '-m', 'annotated')
    git(8, 'tag', '-a', 'v3.0.1', 'rc', '-m', 'a tag of a tag')
    git(8, 'tag', 'v3.0')
    commitSigned('docs: depois', '2026-01-01T00:09:00Z')
    execFileSync('git', ['init', '--quiet', empty])

    const gpg = join(repo, '.git', 'gpg')
    writeFileSync(gpg, '#!/bin/sh\necho "gpg: no public key" >&2\nexit 1\n', {
      mode: 0o755,
    })
    writeFileSync(join(repo, '.git', 'user-config'), userConfig(gpg))
  })

  afterAll(() => {
    for (const folder of [repo, empty]) rmSync(folder, { recursive: true, force: true })
  })

  const sync = (args: string[] = [service.baseUrl, '--repo', repo]) =>
    runInProcess('changelog-sync', args, {
      env: {
        ACCESS_TOKEN: service.token,
        GIT_CONFIG_GLOBAL: join(repo, '.git', 'user-config'),
      },
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

  it('imports a history with its tags, once, whatever the user has configured for git', async () => {
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
      /^Não é um endereço: x\nUso: /,
    ],
    [
      'another path',
      () => sync([`${service.baseUrl}/v2`, '--repo', repo]),
      /^O endereço do serviço termina em \/v1: http.+\/v1\/v2\nUso: /,
    ],
    [
      'no commits',
      () => sync([service.baseUrl, '--repo', empty]),
      /^Não foi possível importar: a história em \/.+ não pode ser lida: fatal: bad revision 'HEAD'\n$/,
    ],
    [
      'no repository',
      () => sync([service.baseUrl, '--repo', tmpdir()]),
      /^Não foi possível importar: a história em \/.+ não pode ser lida: fatal: not a git repository .+\n$/,
    ],
    [
      'no folder',
      () => sync([service.baseUrl, '--repo', '/no/such']),
      /^Não foi possível importar: a história em \/no\/such não pode ser lida: fatal: cannot change to .+\n$/,
    ],
    [
      'no git',
      () =>
        runInProcess('changelog-sync', [service.baseUrl, '--repo', repo], {
          env: { PATH: '/no/such' },
        }),
      /^Não foi possível importar: o git não está instalado, ou não está no PATH\.\n$/,
    ],
  ])('reports %s', async (_, run, line) => {
    const { code, stdout, stderr } = await run()
    expect(stderr).toMatch(line)
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  it('runs no program that a partial clone names to fetch what it lacks', async () => {
    const partial = mkdtempSync(join(tmpdir(), 'history-'))
    onTestFinished(() => rmSync(partial, { recursive: true, force: true }))
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@b']
    const run = (...args: string[]) =>
      execFileSync('git', ['-C', partial, ...identity, ...args], {
        encoding: 'utf8',
      }).trim()
    run('init', '--quiet')
    for (const message of ['feat: um', 'feat: dois']) {
      run('commit', '--quiet', '--allow-empty', '-m', message)
    }
    const missing = run('rev-parse', 'HEAD~1')
    rmSync(join(partial, '.git', 'objects', missing.slice(0, 2), missing.slice(2)))
    const [program, marker] = [join(partial, 'program'), join(partial, 'ran')]
    writeFileSync(program, `#!/bin/sh\nenv > ${marker}\n`, { mode: 0o755 })
    for (const [name, value] of Object.entries({
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.url': repo,
      'remote.origin.promisor': 'true',
      'remote.origin.uploadpack': program,
      'protocol.file.allow': 'always',
    })) {
      run('config', name, value)
    }

    const { code, stderr } = await sync([service.baseUrl, '--repo', partial])
    expect(stderr).toMatch(
      /^Não foi possível importar: a história em .+ não pode ser lida: [^]+\nfatal: .+\n$/,
    )
    expect([code, existsSync(marker)]).toEqual([1, false])
    // as it would without these precautions
    spawnSync('git', ['-C', partial, 'rev-list', 'HEAD'])
    expect(existsSync(marker)).toBe(true)
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
      ['zone -7349', by(' 1500000000 -7349'), '2017-07-14'],
      ['year 9999', by(` ${year10000 - 1} -1200`), '9999-12-31'],
      ['the epoch', by(' 0 +0000'), '1970-01-01'],
      ['year 10000', by(` ${year10000} +0000`), '2001-09-09'],
      ['no year', by(` ${'9'.repeat(23)} +0000`), '2001-09-09'],
      ['before 1970', by(' -100 +0000'), '2001-09-09'],
      ['words', by(' yesterday +0000'), '2001-09-09'],
      ['no date', by(''), '2001-09-09'],
      ['no committer', author.trim(), '2001-09-09'],
      ['no date at all', 'committer A <a@example.org>', '1970-01-01'],
      ['nobody', 'encoding UTF-8', '1970-01-01'],
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
      ['(sem título)', date, 'fix: \u3164\n'],
    ]
    for (const [, headers, message] of messages) {
      addRawCommit(odd.folder, headers, message)
    }
    addRawCommit(
      odd.folder,
      date,
      `${'\u0301'.repeat(1_000_000)}\n\n${'\u0001'.repeat(19_000)}`,
    )

    const { code, stdout, stderr } = await sync([service.baseUrl, '--repo', odd.folder])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/Rascunhos: 19; já conhecidos e merges: 0\.\n$/)
    const entries = new Map((await entriesOf()).map((entry) => [entry.title, entry.date]))
    expect(dates.map(([title]) => [title, entries.get(title)])).toEqual(
      dates.map(([title, , day]) => [title, day]),
    )
    expect(messages.map(([title]) => [title, entries.get(title)])).toEqual(
      messages.map(([title]) => [title, '2020-09-13']),
    )
  })

  it('gives git no secret', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'bin-'))
    const environment = join(bin, 'environment')
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\n/usr/bin/env > ${environment}\nexit 1\n`,
      {
        mode: 0o755,
      },
    )
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    vi.stubEnv('JWT_SECRET', 'segredo')
    await sync()
    const text = readFileSync(environment, 'utf8')
    rmSync(bin, { recursive: true })
    expect(text).toMatch(/^GIT_NO_LAZY_FETCH=1$/m)
    expect(text).not.toMatch(/ACCESS_TOKEN|segredo|CLOUDFLARE|npm_/)
  })

  /** Sends the history to a server of one test. */
  async function syncTo(respond: RequestListener) {
    const server = createServer(respond).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const result = await sync([`http://127.0.0.1:${port}/v1`, '--repo', repo])
    server.close()
    return result
  }

  it('prints nothing that a hostile service sends as a count', async () => {
    const { code, stdout, stderr } = await syncTo((_, response) => {
      const data = { imported: '\u001b[31m9', skipped: 1, entries: [] }
      response.end(JSON.stringify({ success: true, data }))
    })
    expect(stderr).toMatch(/\/sync-from-git: não é uma resposta deste serviço\. /)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('reports that earlier commits stay imported', async () => {
    let count = 0
    const { code, stdout, stderr } = await syncTo((_, response) => {
      count += 1
      if (count === 1) {
        response.end('{"success":true,"data":{"imported":3,"skipped":1,"entries":[]}}')
      } else {
        const headers = { 'Content-Type': 'application/json', 'Retry-After': 61 }
        response.writeHead(503, headers).end('{"message":"Indisponível."}')
      }
    })
    expect(stdout).toBe('3 de 4 commits\n')
    expect(stderr).toMatch(
      /: 503 Indisponível\. O que já foi feito permanece, e o comando pode ser repetido sem risco\.\n$/,
    )
    expect(code).toBe(1)
  })
})
