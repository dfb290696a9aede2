import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DatabaseSync } from '../../scripts/lib/sqlite.ts'

const MIGRATIONS = readdirSync('migrations')
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
const MIGRATIONS_OF_1_0_0 = ['0000_initial.sql', '0001_second_factor.sql']

/** Rows that 1.0.0 may have in the tables that later migrations change. */
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
  const migrate = (names: string[]) => {
    for (const name of names) {
      database.exec(readFileSync(join('migrations', name), 'utf8'))
    }
  }
  expect(MIGRATIONS.slice(0, 2)).toEqual(MIGRATIONS_OF_1_0_0)
  migrate(MIGRATIONS_OF_1_0_0)
  database.exec(ROWS)
  migrate(MIGRATIONS.slice(2))

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
  const record = {
    actor_id: 'u',
    subject_id: 'i',
    request_id: 'r',
    related_id: null,
    api_token_id: null,
  }
  expect(rowsOf(`select ${Object.keys(record).join()} from audit_events`)).toEqual([
    record,
    record,
  ])
  expect(rowsOf('select * from imported_commits')).toEqual([{ hash: 'abcdef1' }])
  expect(rowsOf('pragma foreign_key_check')).toEqual([])
})
