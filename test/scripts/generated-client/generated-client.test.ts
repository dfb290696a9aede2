import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_PASSWORD } from '../../../scripts/lib/demo.ts'
import { demoService } from '../demo-service.ts'

mkdirSync('.wrangler', { recursive: true })
/** In the project, so that tsc and vite resolve its dependencies. */
const folder = mkdtempSync(resolve('.wrangler', 'client-'))
const document = join(folder, 'openapi.json')
const journey = join(folder, 'journey.ts')
const service = demoService()

/** Runs a command of the project and returns its output. */
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  })

beforeAll(async () => {
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text())
  await createClient({ input: document, output: join(folder, 'client'), logs: { level: 'silent' } })
  copyFileSync(join(import.meta.dirname, 'journey.ts'), journey)
})
afterAll(() => {
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
    const environment = '--moduleResolution bundler --module esnext --target esnext --lib esnext,dom,dom.iterable'
    run('tsc', ...options.split(' '), ...environment.split(' '), journey)
  })

  it('generates a client that a front end works with', async () => {
    const seen = await (await import(journey)).journey(service.baseUrl, DEMO_PASSWORD)
    expect(seen).toEqual({
      categories: ['Cônego', 'Membro do Cabido'],
      cover: 'Ana da Silva Souza',
      forbidden: 'Acesso restrito a informantes.',
      texts: ['O campo nome é obrigatório.'],
      initials: 'LP',
      updated: 'Lúcia Reis',
      deleted: 'Informante excluído com sucesso.',
    })
  })
})
