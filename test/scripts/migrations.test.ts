import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withLocalDatabase } from '../../scripts/lib/database.ts'
import { DatabaseSync } from '../../scripts/lib/sqlite.ts'
import { copiedDemoState } from './demo-service.ts'
import { runSql } from './local-database.ts'

it('the migrations match src/database/schema: drizzle-kit generates nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'informer-migrations-'))
  try {
    cpSync('migrations', folder, { recursive: true })
    const before = readdirSync(folder)
    const out = relative('.', folder) // drizzle-kit accepts no absolute path
    const args = [
      'generate',
      '--dialect=sqlite',
      '--schema=src/database/schema',
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

it('the notices that wait in the outbox of 3.0 move to their own table', () => {
  const database = new DatabaseSync(':memory:')
  const [initial = '', ...later] = readdirSync('migrations')
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join('migrations', name), 'utf8'))
  database.exec(initial)
  database.exec(`
    insert into users (id, role_id, first_name, name_folded, initials)
      values ('i', 1, 'Ana', 'ana', 'A');
    insert into email_outbox (email, kind, user_id, attempts, due_at)
      values ('a@example.org', 'email_changed', 'i', 2, '2026');
    insert into email_outbox (email, kind) values ('a@example.org', 'verification')`)

  for (const sql of later) database.exec(sql)

  const rowsOf = (table: string) => database.prepare(`select * from ${table}`).all()
  expect(rowsOf('notices')).toEqual([
    {
      user_id: 'i',
      email: 'a@example.org',
      kind: 'email_changed',
      attempts: 2,
      due_at: '2026',
    },
  ])
  expect(rowsOf('email_outbox')).toMatchObject([{ kind: 'verification' }])
})

it('commands refuse a local database with migrations that the checkout does not have', async () => {
  const { stateDir, remove } = await copiedDemoState()
  onTestFinished(remove)
  runSql(stateDir, "insert into d1_migrations (name) values ('0001_list_revisions.sql')")
  const work = withLocalDatabase(stateDir, async () => 'reached')
  await expect(work).rejects.toThrow(
    'the local database is of 1.0 or 1.1, or newer than this checkout: it has 0001_list_revisions.sql. ' +
      'Serve it with its own checkout, or delete it with npm run reset.',
  )
})
