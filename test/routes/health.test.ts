import { describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { callJson } from '../support/helper.ts'

describe('GET /v1/health', () => {
  it('reports that the service and its database respond', async () => {
    const { status, body } = await callJson('/health')
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { status: 'ok', version, deployment: expect.stringMatching(/^\S+$/) },
      },
    ])
  })
})
