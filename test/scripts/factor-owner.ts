import { decodeBase32IgnorePadding } from '@oslojs/encoding'
import { generateHOTP } from '@oslojs/otp'
import { expect } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'

const PASSWORD = 'Chancelaria2026'

type Service = { baseUrl: string; token: string }

let owners = 0

/** A new administrator with a second factor, and the code of a step that is not used yet. */
export async function newFactorOwner({ baseUrl, token }: Service) {
  owners += 1
  const email = `a${owners}@example.org`
  const credentials = { email, password: PASSWORD }

  async function send(method: string, path: string, token: string, body: object) {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.ok).toBe(true)
    // oxlint-disable-next-line no-explicit-any -- tests check the shape
    return ((await response.json()) as { data: any }).data
  }

  const person = { current_password: DEMO_PASSWORD, first_name: 'Teste', ...credentials }
  await send('POST', '/administrators', token, person)
  const { access_token } = await send('POST', '/auth/login', '', credentials)
  const { secret } = await send('POST', '/auth/second-factor', access_token, {
    current_password: PASSWORD,
  })
  const step = Math.floor(Date.now() / 30_000)
  const codeOf = (offset: number) =>
    generateHOTP(decodeBase32IgnorePadding(secret), BigInt(step + offset), 6)
  await send('PUT', '/auth/second-factor', access_token, { code: codeOf(0) })
  return { ...credentials, code: codeOf(1) }
}
