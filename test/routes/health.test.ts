import { describe, expect, it } from 'vitest'
import { callJson, failingDatabase } from '../helper.ts'

describe('GET /v1/health', () => {
  it('reports that the service and its database respond', async () => {
    const { status, body } = await callJson('/health')
    expect([status, body]).toEqual([
      200,
      { success: true, data: { status: 'ok', version: expect.stringMatching(/^\S+$/) } },
    ])
  })

  it.each(['D1_ERROR: Network connection lost.', 'D1_ERROR: Failed to get session commit token: internal error'])(
    'responds 503 if the database does not respond: %s',
    async (text) => {
      const { status, body, headers } = await callJson('/health', { env: { DB: failingDatabase(text) } })
      expect([status, body]).toEqual([503, { success: false, message: 'Serviço temporariamente indisponível.' }])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    },
  )
})
