import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Responds with the folder as soon as it is complete. */
    demoState: string
  }
}

const STRICT = {
  JWT_TTL_SECONDS: '1',
  REQUIRE_EMAIL_VERIFICATION: 'true',
  REQUIRE_SECOND_FACTOR: 'true',
}

/**
 * Makes the state folder of a first `npm start` once for all files, when the first of them asks for it: the built
 * Worker, and a database with the demo data, which come in under the strictest settings. Each `demoService` serves a
 * copy.
 */
export default async function makeDemoState(project: TestProject) {
  const { stateDir, remove } = temporaryState()
  let complete: Promise<unknown> | undefined
  const server = createServer((_, response) => {
    complete ??= startService({ STATE_DIR: stateDir, ...STRICT }).then((service) =>
      service.terminate(),
    )
    complete.then(
      () => response.end(stateDir),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide(
    'demoState',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
  return async () => {
    server.close()
    await complete?.catch(() => undefined) // who asked for it was told
    remove()
  }
}
