import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_PASSWORD } from '../../../scripts/lib/demo.ts'
import { freePort } from '../../../scripts/lib/ports.ts'
import { startService, temporaryState } from '../../../scripts/lib/service-process.ts'
import { templateOf } from '../../../scripts/openapi/document.ts'
import { operations } from '../../../scripts/openapi/operations.ts'

mkdirSync('.wrangler', { recursive: true })
/** In the project, so that tsc and vite resolve its dependencies. */
const folder = mkdtempSync(resolve('.wrangler', 'client-'))
const document = join(folder, 'openapi.json')
const journey = join(folder, 'journey.ts')
const { stateDir, remove } = temporaryState()
let service: Awaited<ReturnType<typeof startService>>

/** Runs a command of the project and returns its output. */
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  })

beforeAll(async () => {
  service = await startService({ PORT: String(await freePort()), STATE_DIR: stateDir })
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text())
  await createClient({ input: document, output: join(folder, 'client'), logs: { level: 'silent' } })
  copyFileSync(join(import.meta.dirname, 'journey.ts'), journey)
})
afterAll(async () => {
  await service?.interrupt()
  remove()
  rmSync(folder, { recursive: true, force: true })
})

describe('the served OpenAPI document', () => {
  it('passes the linter of Redocly without a warning', () => {
    const config = join(import.meta.dirname, 'redocly.yaml')
    const { problems } = JSON.parse(run('redocly', 'lint', '--config', config, '--format', 'json', document))
    expect(problems).toEqual([])
  })

  it('generates a client that type-checks in strict mode', () => {
    const options = '--noEmit --strict --skipLibCheck --ignoreConfig --types node'
    const environment =
      '--moduleResolution bundler --module esnext --target esnext --lib esnext,dom,dom.iterable'
    run('tsc', ...options.split(' '), ...environment.split(' '), journey)
  })

  it('generates a client that calls every operation', async () => {
    const { called, ...result } = await (await import(journey)).journey(service.baseUrl, DEMO_PASSWORD)
    const documented = Object.keys(operations).map((name) => {
      const [method, route = ''] = name.split(' ')
      return `${method} ${templateOf(route)}`
    })
    expect(called.sort()).toEqual(documented.sort())
    expect(result).toEqual({
      health: 'ok',
      categories: ['Cônego', 'Membro do Cabido'],
      inactive: 0,
      state: 'AC',
      pronouns: 12,
      initials: 'LP',
      texts: ['O campo nome é obrigatório.'],
      found: ['LP'],
      renamed: 'Lúcia Reis',
      pairs: [1, 1, 1, 0, 0],
      removed: 'Informante excluído com sucesso.',
      drafts: ['Um'],
      isPublished: true,
      read: true,
      deleted: 'Registro excluído com sucesso.',
      published: 0,
      imported: 1,
      recorded: [true],
      cover: 'Ana da Silva Souza',
      forbidden: 'Acesso restrito a informantes.',
      verified: 422,
      resent: 202,
      forgotten: 202,
      reset: 422,
      ended: 'Sessão encerrada em todos os dispositivos.',
    })
  })
})
