import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { runInProcess } from './in-process.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

/** Passes requests on to the service, and keeps the addresses of those that read. */
async function recordingProxy() {
  const reads: string[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    if (request.method === 'GET') reads.push(request.url ?? '')
    const upstream = await fetch(new URL(request.url ?? '', office.service.baseUrl), {
      method: request.method ?? 'GET',
      headers: {
        Authorization: request.headers.authorization ?? '',
        'Content-Type': 'application/json',
        'Idempotency-Key': String(request.headers['idempotency-key'] ?? ''),
      },
      ...(body.length > 0 && { body }),
    })
    response.writeHead(upstream.status, { 'Content-Type': 'application/json' })
    response.end(await upstream.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { reads, baseUrl: `http://127.0.0.1:${port}/v1` }
}

/** Names of people with neither email nor CPF, who share a first name. */
const NAMELESS = Array.from({ length: 40 }, (_, at) => [
  'Maria',
  `Do Nome ${'abcdefgh'[at % 8]}${at}`,
])

it('informers:import reads known people once', async () => {
  const file = office.fileOf(csv(['Nome', 'Sobrenome'], ...NAMELESS))
  const env = { ACCESS_TOKEN: office.service.token }
  for (const created of [40, 0]) {
    const { baseUrl, reads } = await recordingProxy()
    const { stdout } = await runInProcess('informers-import', [baseUrl, file], { env })
    expect(stdout).toContain(`Cadastrados: ${created}\n`)
    expect(reads.filter((url) => url.startsWith('/v1/informers'))).toHaveLength(1)
  }
})

it('informers:import --dry-run has a line for every row, and those of the run', async () => {
  await office.create({ first_name: 'Ana Velha', email: 'velha@example.org', phone: '1' })
  const rows = [
    ['Ana Velha', 'velha@example.org', '2'],
    ['Beto Novo', 'novo@example.org', ''],
    ['Caio', 'sem arroba', ''],
    ['Maria Do Nome a0', '', ''],
  ]
  const file = csv(['Nome completo', 'E-mail', 'Telefone'], ...rows)
  const preview = await office.importFile(file, '--update', '--dry-run')
  const run = await office.importFile(file, '--update')

  expect(preview.stdout.match(/^linha \d+, .+$/gm)).toEqual([
    'linha 2, Ana Velha: alterado: Telefone: 1 → 2',
    'linha 3, Beto Novo: novo',
    expect.stringMatching(/^linha 4, Caio: E-mail "sem arroba": /),
    'linha 5, Maria Do Nome a0: já conhecido',
  ])
  const lines = preview.stdout.trimEnd().split('\n')
  expect(lines).toEqual(expect.arrayContaining(run.stdout.trimEnd().split('\n')))
  expect(preview.code).toBe(run.code)
})
