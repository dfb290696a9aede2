import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generate } from 'openapi-typescript-codegen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

/** In the project, so that tsc and vite find what they need. */
const folder = mkdtempSync(resolve('.wrangler', 'client-'))
const { stateDir, remove } = temporaryState()
let service: Awaited<ReturnType<typeof startService>>

// biome-ignore lint/suspicious/noExplicitAny: it is generated while the test runs; tsc checks it for itself
let client: any

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  })

beforeAll(async () => {
  service = await startService({ STATE_DIR: stateDir })
})
afterAll(async () => {
  await service?.interrupt()
  remove()
  rmSync(folder, { recursive: true, force: true })
})

describe('the served OpenAPI document', () => {
  const file = join(folder, 'openapi.json')

  it('passes the linter of Redocly without a warning', async () => {
    writeFileSync(file, await (await fetch(`${service.baseUrl}/openapi.json`)).text())
    const said = JSON.parse(run('redocly', 'lint', '--format', 'json', file)) as { problems: unknown[] }
    expect(said.problems).toEqual([])
  })

  it('makes a client that compiles', async () => {
    await generate({ input: file, output: join(folder, 'client') })
    run(
      'tsc',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--moduleResolution',
      'bundler',
      '--module',
      'esnext',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom,dom.iterable',
      '--types',
      'node',
      '--ignoreConfig',
      join(folder, 'client', 'index.ts'),
    )
  })

  it('makes a client that works against the service', async () => {
    client = await import(join(folder, 'client', 'index.ts'))
    client.OpenAPI.BASE = service.baseUrl
    const { data } = await client.AuthService.login({ email: 'admin@example.org', password: 'Provisao2026' })
    const found = await client.CategoriesService.listCategories('conego')
    expect(found.data.map(({ name }: { name: string }) => name)).toContain('Cônego')
    client.OpenAPI.TOKEN = data.access_token
    const created = await client.InformersService.createInformer({ first_name: 'Lúcia', last_name: 'Prado' })
    expect(created.data.initials).toBe('LP')
    await expect(client.InformersService.createInformer({ first_name: '' })).rejects.toMatchObject({
      status: 422,
      body: { errors: { first_name: ['O campo nome é obrigatório.'] } },
    })
    await expect(client.InformersService.readCover()).rejects.toMatchObject({ status: 403 })
  })
})
