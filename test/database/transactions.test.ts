import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { interceptedDatabase, newUser } from '../support/helper.ts'
import type { CallingActor } from '#database/actor.ts'
import { type Interceptor, openDatabase } from '#database/client.ts'
import { users } from '#database/schema/users.ts'
import {
  EndedSessionError,
  RefusedError,
  runTransaction,
  runTransactionIf,
} from '#database/transactions.ts'

const LOST = 'D1_ERROR: Network connection lost.'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // the shortest delays before retries
})

/** A database that loses the connection in some round trips, before or after their effect. */
function losing(
  moment: 'before' | 'after',
  trips: number[],
  meanwhile = async (): Promise<unknown> => undefined,
) {
  const seen = { trips: 0 }
  const around: Interceptor = async (trip) => {
    seen.trips += 1
    const isLost = trips.includes(seen.trips)
    if (isLost && moment === 'before') throw new Error(LOST)
    const result = await trip()
    if (!isLost) return result
    await meanwhile()
    throw new Error(LOST)
  }
  return { db: openDatabase(interceptedDatabase(around)), seen }
}

/** A user, the statement that adds one to the version of their tokens, and that version. */
async function newCounter() {
  const user = await newUser('informer')
  const isUser = eq(users.id, user.id)
  return {
    id: user.id,
    add: sql`update users set token_version = token_version + 1 where id = ${user.id}`,
    read: (db: ReturnType<typeof openDatabase>) =>
      db.select({ version: users.token_version }).from(users).where(isUser),
    stored: () =>
      env.DB.prepare('select token_version from users where id = ?')
        .bind(user.id)
        .first<number>('token_version'),
  }
}

/** The actor of a token that was issued to a new administrator. */
async function newCaller(): Promise<CallingActor> {
  const { id, role } = await newUser('administrator')
  const expiresAt = Date.now() / 1000 + 60
  return {
    requestId: crypto.randomUUID(),
    caller: { id, role, tokenVersion: 1, expiresAt },
  }
}

const endSession = ({ caller }: CallingActor) =>
  env.DB.prepare('update users set token_version = 2 where id = ?').bind(caller.id).run()

describe('a transaction whose connection is lost', () => {
  it.each([
    ['once before its effect', 'before', [1], 2],
    ['twice before its effect', 'before', [1, 2], 3],
    ['once after its effect', 'after', [1], 3],
    ['after its effect, and while that is read', 'after', [1, 3], 4],
  ] as const)(
    '%s takes effect once, and reads it',
    async (_, moment, trips, expected) => {
      const { add, read, stored } = await newCounter()
      const { db, seen } = losing(moment, [...trips])
      const { rows } = await runTransaction(db, {
        writes: [add],
        reads: { rows: read(db) },
      })
      expect(rows).toEqual([{ version: 2 }])
      expect([await stored(), seen.trips]).toEqual([2, expected])
    },
  )

  it('after its effect is not refused by what it wrote', async () => {
    const { db } = losing('after', [1])
    const id = crypto.randomUUID()
    const insert = sql`insert into imported_commits (hash) values (${id})`
    await expect(runTransaction(db, { writes: [insert] })).resolves.toEqual({})
  })

  it('after its effect does not ask for the session again, which it ended itself', async () => {
    const { add, stored } = await newCounter()
    const actor = await newCaller()
    const { db } = losing('after', [1], () => endSession(actor))
    await runTransaction(db, { actor, writes: [add] })
    expect(await stored()).toBe(2)
  })

  it('after its effect does not ask for its condition again', async () => {
    const { id, add, stored } = await newCounter()
    const { db } = losing('after', [1])
    const isFirst = sql`exists (select 1 from users where id = ${id} and token_version = 1)`
    expect(await runTransactionIf(db, isFirst, { writes: [add] })).toEqual({})
    expect(await stored()).toBe(2)
  })

  it('for good fails, after three attempts', async () => {
    const { add, stored } = await newCounter()
    const { db, seen } = losing('before', [1, 2, 3, 4])
    await expect(runTransaction(db, { writes: [add] })).rejects.toThrow(LOST)
    expect([await stored(), seen.trips]).toEqual([1, 3])
  })
})

describe('a transaction writes nothing', () => {
  const db = openDatabase(env.DB)

  it.each([
    ['false', sql`false`],
    ['null', sql`null`],
    ['no row', sql`exists (select 1 from users where id = '')`],
  ])('if its condition is %s', async (_, condition) => {
    const { add, stored } = await newCounter()
    expect(await runTransactionIf(db, condition, { writes: [add] })).toBeNull()
    expect(await stored()).toBe(1)
  })

  it.each([
    ['ended', async (actor: CallingActor) => void (await endSession(actor))],
    [
      'expired',
      async ({ caller }: CallingActor) => void (caller.expiresAt = Date.now() / 1000 - 1),
    ],
    [
      'is of another role',
      async ({ caller }: CallingActor) => void (caller.role = 'informer'),
    ],
    [
      'is of nobody',
      async ({ caller }: CallingActor) => void (caller.id = crypto.randomUUID()),
    ],
  ])('for a caller whose session %s, whatever its condition', async (_, end) => {
    const { add, stored } = await newCounter()
    const actor = await newCaller()
    await end(actor)
    for (const condition of [sql`true`, sql`false`]) {
      await expect(
        runTransactionIf(db, condition, { actor, writes: [add] }),
      ).rejects.toThrow(EndedSessionError)
    }
    expect(await stored()).toBe(1)
  })

  it.each([
    ['a unique index', "insert into roles select 9, name, 'x', '' from roles"],
    ['a reference', "update users set role_id = 9 where email = 'ana@example.org'"],
  ])('if %s refuses a statement', async (_, statement) => {
    const { add, stored } = await newCounter()
    const refused = runTransaction(db, { writes: [add, sql.raw(statement)] })
    await expect(refused).rejects.toThrow(RefusedError)
    expect(await stored()).toBe(1)
  })
})
