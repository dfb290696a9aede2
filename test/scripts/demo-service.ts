import { afterAll, beforeAll } from 'vitest'
import { logIn } from '../../scripts/lib/demo.ts'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

/** What `npm start` serves in a folder of its own while the tests of a file run, with a token of the administrator. */
export function demoService() {
  const { stateDir, remove } = temporaryState()
  const service = { stateDir, token: '' } as Awaited<ReturnType<typeof startService>> & {
    stateDir: string
    token: string
  }
  beforeAll(async () => {
    Object.assign(service, await startService({ STATE_DIR: stateDir }))
    service.token = await logIn(service.baseUrl, 'admin@example.org')
  })
  afterAll(async () => {
    await service.kill?.()
    remove()
  })
  return service
}
