import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Responds with the folder of the demo data as soon as they are complete. */
    demoState: string
  }
}

/**
 * Makes the state folder of a first `npm start` once for all files, while the first of them run: the built Worker and
 * a database with the demo data. Each `demoService` serves a copy.
 */
export default async function makeDemoState(project: TestProject) {
  const { stateDir, remove } = temporaryState()
  const complete = startService({ STATE_DIR: stateDir }).then((service) => service.terminate())
  const server = createServer((_, response) =>
    complete.then(
      () => response.end(stateDir),
      (error: Error) => response.writeHead(500).end(error.message),
    ),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('demoState', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    await complete.catch(() => undefined) // who asked for it was told
    remove()
  }
}
