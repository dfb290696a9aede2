import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FIRST_SECOND = Date.UTC(2026, 0, 1) / 1000

/** A real repository in a temporary folder, written by `git fast-import` and read by git. */
export function createRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'history-'))
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['-C', folder, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(input === undefined ? {} : { input }),
    })
  const lines = (args: string[]) => git(args).split('\n').filter(Boolean)
  git(['init', '--quiet', '-b', 'main'])
  const marks = join(folder, '.git', 'marks')
  let stream = ''
  let written = 0

  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
    /** Adds a commit to the head of a branch and returns its mark. */
    commit(branch: string, message: string, parents: number[], minute: number): number {
      const mark = ++written
      const [first, ...others] = parents
      stream += `commit refs/heads/${branch}
mark :${mark}
committer A <a@example.org> ${FIRST_SECOND + minute * 60} +0000
data ${Buffer.byteLength(message)}
${message}
${first === undefined ? '' : `from :${first}\n`}${others.map((parent) => `merge :${parent}\n`).join('')}
`
      return mark
    },
    point(ref: string, mark: number): void {
      stream += `reset refs/${ref}\nfrom :${mark}\n\n`
    },
    annotate(tag: string, mark: number): void {
      stream += `tag ${tag}\nfrom :${mark}\ntagger A <a@example.org> ${FIRST_SECOND} +0000\ndata 1\nx\n`
    },
    /** Stores the added commits with git. */
    flush(): void {
      const files = [`--import-marks-if-exists=${marks}`, `--export-marks=${marks}`]
      git(['fast-import', '--quiet', '--force', ...files], stream)
      stream = ''
    },
    /** Hash, parents, date and message of the commits that `git log` lists. */
    log: (...args: string[]) =>
      git(['log', '-z', '--format=%H%n%P%n%cI%n%B', ...args])
        .split('\0')
        .filter(Boolean)
        .map((record) => {
          const [hash = '', parents = '', date = '', ...message] = record.split('\n')
          return {
            hash,
            parents: parents.split(' ').filter(Boolean),
            date,
            message: message.join('\n').trim(),
          }
        }),
    /** The tags of the branch. */
    tags: () => lines(['tag', '--merged', 'HEAD']),
    /** The tags of the branch that contain a commit. */
    tagsContaining: (hash: string) =>
      lines(['tag', '--merged', 'HEAD', '--contains', hash]),
  }
}

export type Repository = ReturnType<typeof createRepository>
