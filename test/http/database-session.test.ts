import { expect, it } from 'vitest'
import { tokenOf } from '../support/helper.ts'
import { isolate } from '../support/isolate.ts'

it.each([
  ['GET', '/categories', null, 'first-unconstrained'],
  ['HEAD', '/changelogs', null, 'first-unconstrained'],
  ['GET', '/categories', 'ana@example.org', 'first-primary'],
  ['GET', '/cover', 'ana@example.org', 'first-primary'],
  ['GET', '/changelogs', 'admin@example.org', 'first-primary'],
  ['POST', '/auth/login', null, 'first-primary'],
  ['POST', '/informers', 'admin@example.org', 'first-primary'],
  ['DELETE', '/changelogs/x', null, 'first-primary'],
])(
  'the database session of %s %s by %s is %s',
  async (method, path, email, constraint) => {
    const { count, get } = isolate()
    await get(path, { method, token: email === null ? undefined : await tokenOf(email) })
    expect(count.sessions).toEqual([constraint])
  },
)
