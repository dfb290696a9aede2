import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { runInProcess } from './in-process.ts'
import { withServer } from './service-proxy.ts'
import { csv, spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()

it('informers:import reads known people once', async () => {
  const names = Array.from({ length: 40 }, (_, at) => ['Maria', `Do Nome ${at}`])
  const file = office.fileOf(csv(['Nome', 'Sobrenome'], ...names))
  const env = { ACCESS_TOKEN: office.service.token }
  for (const created of [40, 0]) {
    const reads: string[] = []
    const { stdout } = await withServer(
      office.service.baseUrl,
      ({ method, url = '' }, _, forward) => {
        if (method === 'GET') reads.push(url)
        return forward()
      },
      (baseUrl) => runInProcess('informers-import', [baseUrl, file], { env }),
    )
    expect(stdout).toContain(`Cadastrados: ${created}\n`)
    expect(reads.filter((url) => url.startsWith('/v1/informers'))).toHaveLength(1)
  }
})

it('informers:import sends a key that repeats and does not tell the CPF', async () => {
  const cpf = '11144477735'
  const file = office.fileOf(csv(['Nome', 'CPF'], ['Chave', cpf]))
  const env = { ACCESS_TOKEN: office.service.token }
  const keys: unknown[] = []
  for (const _ of ['first', 'after the deletion']) {
    await withServer(
      office.service.baseUrl,
      ({ headers, method }, __, forward) => {
        if (method === 'POST') keys.push(headers['idempotency-key'])
        return forward()
      },
      (baseUrl) => runInProcess('informers-import', [baseUrl, file], { env }),
    )
    for (const { id } of await office.find(cpf)) await office.remove(id)
  }
  const [first, second] = keys
  expect(first).toMatch(/^[\da-f]{64}$/)
  expect(second).toBe(first)
  const plain = [cpf, `informers ${cpf}`].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  )
  expect(plain).not.toContain(first)
})

it('informers:import --dry-run has a line for every row, and those of the run', async () => {
  await office.create({ first_name: 'Ana Velha', email: 'velha@example.org', phone: '1' })
  await office.create({ first_name: 'Bento Sem Contato' })
  const rows = [
    ['Ana Velha', 'velha@example.org', '2'],
    ['Beto Novo', 'novo@example.org', ''],
    ['Caio', 'sem arroba', ''],
    ['Bento Sem Contato', '', ''],
  ]
  const file = csv(['Nome completo', 'E-mail', 'Telefone'], ...rows)
  const preview = await office.importFile(file, '--update', '--dry-run')
  const run = await office.importFile(file, '--update')

  expect(preview.stdout.match(/^linha \d+, .+$/gm)).toEqual([
    'linha 2, Ana Velha: alterado: Telefone: 1 → 2',
    'linha 3, Beto Novo: novo',
    expect.stringMatching(/^linha 4, Caio: E-mail "sem arroba": /),
    'linha 5, Bento Sem Contato: já conhecido',
  ])
  const lines = preview.stdout.trimEnd().split('\n')
  expect(lines).toEqual(expect.arrayContaining(run.stdout.trimEnd().split('\n')))
  expect(preview.code).toBe(run.code)
})
