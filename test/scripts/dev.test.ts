import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService } from '../../scripts/dev/service-process.ts'
import { copiedCheckout } from './copied-checkout.ts'
import { copiedDemoState } from './demo-service.ts'
import { DATABASE_ID } from './filled-configuration.ts'

const { folder: checkout, remove } = copiedCheckout()
const handler = join(checkout, 'src/routes/health.ts')

let state: Awaited<ReturnType<typeof copiedDemoState>>
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  const file = join(checkout, 'wrangler.toml')
  const toml = readFileSync(file, 'utf8')
  writeFileSync(file, toml.replace(/(?<=^database_id = ")[^"]+/m, DATABASE_ID))
  state = await copiedDemoState()
  cpSync('.dev.vars', join(checkout, '.dev.vars'))
})
beforeAll(async () => {
  service = await startService({ STATE_DIR: state.stateDir }, 'dev', checkout)
})
afterAll(async () => {
  await service?.interrupt() // a build that runs, too
  state?.remove()
  remove()
})

const get = (path: string) => fetch(service.baseUrl + path).catch(() => null)

/** Saves as many editors do: a new file takes the place of the old one. */
function saveByRename(file: string, text: string): void {
  writeFileSync(`${file}~`, text)
  renameSync(`${file}~`, file)
}

/** The exceptions that were logged, the last one by a request of now. */
async function exceptions() {
  await get('/health')
  const lines = service.output.stderr.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as { message: string })
}

it('npm run dev takes every save, says when an error is mended, and shows the messages of exceptions', async () => {
  const code = readFileSync(handler, 'utf8')
  const patience = { timeout: 50_000, interval: 500 }
  saveByRename(handler, `${code}}`)
  await expect.poll(() => service.output.stderr, patience).toContain('health.ts')
  const message = 'a mistake'
  saveByRename(handler, code.replace('await ping', `throw new Error('${message}')\n$&`))
  await expect
    .poll(exceptions, patience)
    .toContainEqual(expect.objectContaining({ message }))
  expect(service.output.stdout).toContain('Mended, and restarted.')
})

it('npm run dev keeps the data, whatever database_id says', async () => {
  const dioceses = await get('/dioceses?per_page=1')
  expect(await dioceses?.json()).toMatchObject({ pagination: { total: 281 } })
  expect(service.output.stdout).not.toContain('Adding the demo data')
})

it('npm run dev ends with npm, as a supervisor ends it, and leaves nothing behind', async () => {
  await service.terminate()
  expect(await get('/health')).toBe(null)
})
