import { sql } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, it, vi } from 'vitest'
import { newApiToken } from '../api-tokens.ts'
import { type Call, call } from '../helper.ts'
import { requests } from '../requests.ts'
import { type Placeholders, prepareStatement } from '#database/sql/prepared.ts'

const PREPARED = [
  'GET /v1/cover',
  'GET /v1/informers/{informer}',
  'GET /v1/administrators/{administrator}',
  'GET /v1/processes/{process}',
  'GET /v1/changelogs/{id}',
  'PUT /v1/informers/{informer}/questionnaires/{questionnaire}',
  'DELETE /v1/informers/{informer}/questionnaires/{questionnaire}',
]

/** The SQL that Drizzle builds for a request, and behind its response. */
async function builtFor(name: string, options?: Call): Promise<string[]> {
  const request = await requests[name]?.()
  if (!request) throw new Error(`no request is named ${name}`)

  const build = vi.spyOn(SQLiteAsyncDialect.prototype, 'sqlToQuery')
  const { ok } = await call(request.path, { ...request.call, ...options })
  const built = build.mock.results.map(({ value }) => (value as { sql: string }).sql)
  build.mockRestore()
  expect([name, ok]).toEqual([name, true])
  return built
}

describe('prepared statements', () => {
  it.each(PREPARED)('build no SQL for a second %s', async (name) => {
    await builtFor(name)
    expect(await builtFor(name)).toEqual([])
  })

  it('build no SQL for a second request of a program', async () => {
    const { token } = await newApiToken(['informers:read'])
    await builtFor('GET /v1/informers/{informer}', { token })
    expect(await builtFor('GET /v1/informers/{informer}', { token })).toEqual([])
  })

  it('begin and record a second write, which builds only what it alone does', async () => {
    await builtFor('POST /v1/auth/logout')
    expect(await builtFor('POST /v1/auth/logout')).toEqual([
      expect.stringMatching(/^update "users" set "token_version"/),
    ])
  })

  it('do not serve lists, whose filters change their SQL', async () => {
    await builtFor('GET /v1/informers')
    expect(await builtFor('GET /v1/informers')).not.toEqual([])
  })
})

it('prepareStatement takes the values of its placeholders alone', () => {
  const bind = prepareStatement(
    ({ name }: Placeholders<{ name: string }>) => sql`select ${name}, ${name}`,
  )
  expect(bind({ name: 'Ana' })).toEqual({ sql: 'select ?, ?', params: ['Ana', 'Ana'] })
  expect(bind({ name: 'Bento' }).params).toEqual(['Bento', 'Bento'])

  // @ts-expect-error -- another type
  expect(bind({ name: 1 }).params).toEqual([1, 1])
  // @ts-expect-error -- another name
  expect(() => bind({ title: 'Ana' })).toThrow('No value for placeholder "name"')
  // @ts-expect-error -- a placeholder without a value
  prepareStatement(({ title }: Placeholders<{ name: string }>) => sql`select ${title}`)
})
