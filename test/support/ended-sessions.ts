import { vi } from 'vitest'
import { tokenFor } from './helper.ts'
import type { RoleSlug } from '#domain/roles.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A token of yesterday. The service takes it for valid until the real time is back. */
export async function tokenOfYesterday(user: {
  id: string
  role: RoleSlug
}): Promise<string> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY_MS })
  return tokenFor(user)
}

/** A body that is sent when some work is done, after the guard. */
export function heldBody(body: unknown, work: () => Promise<unknown>): ReadableStream {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return new ReadableStream(
    {
      async pull(controller) {
        await work()
        controller.enqueue(bytes)
        controller.close()
      },
    },
    { highWaterMark: 0 }, // nothing is pulled before it is read
  )
}
