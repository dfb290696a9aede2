import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { mailbox, newEmail, runCron, withoutNotices } from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  newLogin,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'

beforeEach(() => env.DB.exec('delete from email_outbox'))

const KINDS = ['/auth/password/forgot', '/auth/email/resend']

const tokensOf = (id: string) =>
  env.DB.prepare('select count(*) as n from email_tokens where user_id = ?')
    .bind(id)
    .first('n')

/** Somebody who has asked for an email, before another one who has, too. */
async function newAsking(path: string) {
  const asking = []
  for (let place = 0; place < 2; place++) {
    const user = await newLogin({ verification: 'required' })
    await callJson(path, { body: { email: user.email } })
    asking.push(user)
  }
  const [first, second] = asking
  if (!first || !second) throw new Error('nobody asks')
  return { first, second }
}

describe.each(KINDS)(
  'an email of POST /v1%s that is overtaken, about to be sent,',
  (path) => {
    it.each([
      ['by another email', 'PATCH', { email: newEmail() }],
      ['by a deletion', 'DELETE', undefined],
    ])('%s is not sent, and the next one is', async (_, method, body) => {
      const { first, second } = await newAsking(path)
      const { EMAIL, sent } = mailbox()
      const DB = beforeRoundTrips(async (trip) => {
        if (trip !== 3) return // it is claimed, and its recipient is known
        const token = await administratorToken()
        const { status } = await callJson(`/informers/${first.id}`, {
          method,
          token,
          body: body && { email: newEmail() },
        })
        expect(status).toBe(200)
      })
      await runCron({ DB, EMAIL })

      const recipients = withoutNotices(sent).map(({ to }) => to)
      expect(recipients).not.toContain(first.email)
      expect(recipients).toContain(second.email)
      expect(await tokensOf(second.id)).toBe(1)
      expect(logged('error')).toEqual([])
    })
  },
)
