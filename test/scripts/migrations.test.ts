import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { withLocalDatabase } from '../../scripts/lib/database.ts'

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

it('commands refuse a local database with migrations that the checkout does not have', async () => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  await withLocalDatabase(stateDir, (database) =>
    database
      .prepare("insert into d1_migrations (name) values ('0001_list_revisions.sql')")
      .run(),
  )
  const work = withLocalDatabase(stateDir, async () => 'reached')
  await expect(work).rejects.toThrow(
    'the local database is of 1.0 or 1.1, or newer than this checkout: it has 0001_list_revisions.sql. ' +
      'Serve it with its own checkout, or delete it with npm run reset.',
  )
})
