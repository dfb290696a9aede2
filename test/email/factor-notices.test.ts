import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import {
  administratorToken,
  call,
  callJson,
  newLogin,
  PASSWORD,
} from '../support/helper.ts'
import { queued, sendAll } from '../support/notices.ts'
import { codeOf, newFactorOwner, stopClock } from '../support/second-factors.ts'

const ENABLED = 'O segundo fator foi ativado'
const DISABLED = 'O segundo fator foi desativado'

type Owner = Awaited<ReturnType<typeof newFactorOwner>>

const PATH = '/auth/second-factor'

const enable = async ({ token, secret }: Owner) =>
  callJson(PATH, { method: 'PUT', token, body: { code: codeOf(secret) } })

const disable = async ({ token, secret }: Owner) => {
  const body = { current_password: PASSWORD, code: codeOf(secret) }
  return callJson(PATH, { method: 'DELETE', token, body })
}

const disableAsAnother = async ({ id }: { id: string }) =>
  callJson(`/administrators/${id}/second-factor`, {
    method: 'DELETE',
    token: await administratorToken(),
  })

beforeEach(stopClock)
// What other tests have left would be sent first.
beforeEach(() => env.DB.exec('delete from email_outbox'))

it('who enables a second factor is told', async () => {
  const owner = await newFactorOwner({ isWaiting: true })
  const wrong = { method: 'PUT', token: owner.token, body: { code: '12345' } }
  expect((await call(PATH, wrong)).status).toBe(422)
  expect(await sendAll()).toEqual({})
  expect((await enable(owner)).status).toBe(200)
  expect(await sendAll()).toEqual({ [owner.email]: [ENABLED] })
  expect(await queued()).toBe(0)
})

it.each([
  ['who disables a second factor', disable],
  ['whose second factor another administrator disables', disableAsAnother],
])('%s is told, once', async (_, end) => {
  const owner = await newFactorOwner()
  expect((await end(owner)).status).toBe(200)
  await disableAsAnother(owner)
  expect(await sendAll()).toEqual({ [owner.email]: [DISABLED] })
})

it('who has none, or one that waits, is told nothing of its end', async () => {
  for (const user of [
    await newLogin({ role: 'administrator' }),
    await newFactorOwner({ isWaiting: true }),
    await newLogin(),
  ]) {
    await disableAsAnother(user)
  }
  expect(await sendAll()).toEqual({})
})
