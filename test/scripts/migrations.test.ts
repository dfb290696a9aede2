import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'

it('the migrations match src/database/schema.ts: drizzle-kit generates nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'informer-migrations-'))
  try {
    cpSync('migrations', folder, { recursive: true })
    const before = readdirSync(folder)
    const out = relative('.', folder) // drizzle-kit accepts no absolute path
    const args = [
      'generate',
      '--dialect=sqlite',
      '--schema=src/database/schema.ts',
      `--out=${out}`,
    ]
    const { status, stdout, stderr } = spawnSync('drizzle-kit', args, {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('No schema changes')
    expect(readdirSync(folder)).toEqual(before)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
