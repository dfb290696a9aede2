import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DatabaseSync } from '../../scripts/lib/sqlite.ts'

const migration = (name: string) =>
  readFileSync(join('migrations', `${name}.sql`), 'utf8')

/** Rows that 1.0.0 may have in the tables that its next migration changes. */
const ROWS = `
  insert into users (id, role_id, first_name, name_folded, initials, email, second_factor_step)
    values ('u', 2, 'Ana', 'ana', 'A', 'ana@example.org', 7);
  insert into email_outbox (email, kind, user_id, attempts, due_at) values
    ('ana@example.org', 'verification', null, 2, '2026-01-01'),
    ('ana@example.org', 'email_changed', 'u', 0, '2026-01-02');
  insert into sent_emails (id, address, kind, sent_at) values ('s', 'hash', 'verification', '2026');
  insert into email_tokens (token_hash, user_id, kind, expires_at, used_by) values
    ('used', 'u', 'verification', '9999', 'request'),
    ('open', 'u', 'password_reset', '9999', null);
  insert into audit_events (actor_id, action, subject_type, subject_id, pair_id, request_id)
    values ('u', 'group.dissociated', 'informer', 'i', 1, 'r'),
      ('u', 'group.dissociated', 'informer', 'i', 2, 'r');
  insert into imported_commits (hash, is_on_branch) values ('abcdef1', 1);`

it('a database of 1.0.0 keeps its rows, and no link that was used is open again', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('pragma foreign_keys = on')
  database.exec(migration('0000_initial'))
  database.exec(migration('0001_second_factor'))
  database.exec(ROWS)
  database.exec(migration('0002_transactions'))

  const rowsOf = (query: string) =>
    database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }))
  expect(rowsOf('select id, second_factor_step, revision from users')).toEqual([
    { id: 'u', second_factor_step: 7, revision: 1 },
  ])
  expect(rowsOf('select * from email_outbox order by due_at')).toEqual([
    {
      email: 'ana@example.org',
      kind: 'verification',
      user_id: null,
      attempts: 2,
      due_at: '2026-01-01',
    },
    {
      email: 'ana@example.org',
      kind: 'email_changed',
      user_id: 'u',
      attempts: 0,
      due_at: '2026-01-02',
    },
  ])
  expect(rowsOf('select * from sent_emails')).toEqual([
    { email_hash: 'hash', kind: 'verification', sent_at: '2026' },
  ])
  expect(rowsOf('select token_hash from email_tokens')).toEqual([{ token_hash: 'open' }])
  expect(rowsOf('select subject_id, request_id from audit_events')).toEqual([
    { subject_id: 'i', request_id: 'r' },
    { subject_id: 'i', request_id: 'r' },
  ])
  expect(rowsOf('select * from imported_commits')).toEqual([{ hash: 'abcdef1' }])
  expect(rowsOf('pragma foreign_key_check')).toEqual([])
})
