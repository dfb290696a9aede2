import type { TestProject } from 'vitest/node'
import { startService, temporaryState } from '../../scripts/dev/service-process.ts'
import { serveOnDemand } from './on-demand.ts'

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
 * Makes the state folder of a first `npm start` once for all files, when the first of them asks for
 * it: the built Worker, and a database with the demo data, which come in under the strictest
 * settings. Each `demoService` serves a copy.
 */
export default async function makeDemoState(project: TestProject) {
  const { stateDir, remove } = temporaryState()
  const state = await serveOnDemand(async () => {
    const service = await startService({ STATE_DIR: stateDir, ...STRICT })
    const { stderr } = await service.terminate()
    if (stderr) throw new Error(stderr)
    return stateDir
  })
  project.provide('demoState', state.url)
  return async () => {
    await state.close()
    remove()
  }
}
