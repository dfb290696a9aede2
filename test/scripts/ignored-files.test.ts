import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'

/** What the commands of the guides write, and what an office keeps beside it. */
const PERSONAL = [
  'exports/informers.csv',
  'exports/2026/data.sql',
  'informantes.csv',
  'pendentes.xlsx',
  'data.sql',
  'since.jsonl',
  'backup-2026-11-20.tar.age',
  '.dev.vars',
  '.wrangler/state/v3/metadata.sqlite',
]

it('git offers to commit no personal data', () => {
  const { stateDir: folder, remove } = temporaryState()
  onTestFinished(remove)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })
  git('init', '--quiet')
  cpSync('.gitignore', join(folder, '.gitignore'))
  for (const path of PERSONAL) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
  expect(git('status', '--porcelain', '--untracked-files=all')).toBe('?? .gitignore\n')
})
