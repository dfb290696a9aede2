import { describe, expect, it } from 'vitest'
import { callJson } from '../helper.ts'

describe('GET /v1/health', () => {
  it('reports that the service and its database respond', async () => {
    const { status, body } = await callJson('/health')
    expect([status, body]).toEqual([
      200,
      { success: true, data: { status: 'ok', version: expect.stringMatching(/^\S+$/) } },
    ])
  })
})
