import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { runInProcess } from './in-process.ts'
import { spreadsheetOffice } from './spreadsheet-office.ts'
import type { Scope } from '#domain/api-tokens.ts'

const office = spreadsheetOffice()
const { service } = office
let made = 0

/** An API token of the demo administrator, from an address of its own: each allows ten a minute. */
async function newApiToken(...scopes: Scope[]) {
  made += 1
  const expires_on = new Date().toISOString().slice(0, 10)
  const body = { current_password: DEMO_PASSWORD, name: 'Teste', scopes, expires_on }
  const response = await fetch(`${service.baseUrl}/api-tokens`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${service.token}`,
      'Content-Type': 'application/json',
      'CF-Connecting-IP': `198.51.100.${made}`,
    },
    body: JSON.stringify(body),
  })
  const { data } = (await response.json()) as { data: { id: string; token: string } }
  return data
}

const run = (command: string, token: string, ...args: string[]) =>
  runInProcess(command, args, { env: { ACCESS_TOKEN: token } })

function provision(document: object, token: string, ...options: string[]) {
  const file = join(office.folder, 'document.json')
  writeFileSync(file, JSON.stringify(document))
  return run('provision', token, file, '--url', service.baseUrl, ...options)
}

const importFile = (content: string, token: string, ...options: string[]) =>
  run('informers-import', token, service.baseUrl, office.fileOf(content), ...options)

describe('with an API token', () => {
  it('informers:import creates and adds groups, and the export shows it', async () => {
    const writer = await newApiToken('informers:write')
    const reader = await newApiToken('informers:read')
    const headings = 'Nome;E-mail;Processo;Grupo'
    const person = 'Programa;programa@example.org'

    const created = await importFile(`${headings}\n${person}`, writer.token)
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect(created.stdout).toContain('Cadastrados: 1\n')
    const added = await importFile(
      `${headings}\n${person};BR-2026-001;Grupo 1`,
      writer.token,
    )
    expect([added.code, added.stderr]).toEqual([0, ''])

    const exported = await run(
      'informers-export',
      reader.token,
      ...[service.baseUrl, '--process', 'BR-2026-001'],
    )
    expect([exported.code, exported.stderr]).toEqual([0, ''])
    expect(exported.stdout).toMatch(/"Programa";.*"programa@example\.org";.*"Grupo 1"/)
    const records = await office.call('GET', `/audit-events?api_token_id=${writer.id}`)
    expect(records.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['informer.created', 'group.associated']),
    )
  })

  it.each([
    ['informers-import', 'informers:write', 'informers:read'],
    ['informers-export', 'informers:read', 'lists:write'],
    ['changelog-sync', 'changelogs:write', 'lists:write'],
  ] as const)(
    '%s names the scope %s that a token of %s lacks',
    async (command, needed, scope) => {
      const { token } = await newApiToken(scope)
      const file = office.fileOf('Nome;E-mail\nNinguém;ninguem@example.org')
      const args = command === 'informers-import' ? [file] : []
      const { code, stderr } = await run(command, token, service.baseUrl, ...args)
      expect(stderr).toContain(
        `403 Este token não permite esta ação. O token de API precisa de ${needed}.`,
      )
      expect([code, await office.find('ninguem@example.org')]).toEqual([1, []])
    },
  )

  it('provision needs the scopes of what its document holds, and no more', async () => {
    const document = {
      categories: [{ name: 'Programadora', description: 'Programa.' }],
      processes: [{ name: 'Um processo', protocol: 'P-9' }],
    }
    const lists = await newApiToken('lists:write', 'processes:read')
    const refused = await provision(document, lists.token)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(
      'O token de API precisa de lists:write e informers:write.',
    )

    const both = await newApiToken('lists:write', 'informers:write')
    const { code, stderr } = await provision(document, both.token)
    expect([code, stderr]).toEqual([0, ''])
    const [process] = await office.call('GET', '/processes?search=P-9')
    expect(process).toMatchObject({ protocol: 'P-9' })
  })
})

it('a token that was deleted is told, and not how to log in', async () => {
  const { id, token } = await newApiToken('informers:write')
  await office.call('DELETE', `/api-tokens/${id}`)
  const { code, stderr } = await importFile('Nome\nNinguém', token)
  expect(code).toBe(1)
  expect(stderr).toContain(
    'O token de API foi excluído, venceu ou é inválido. Crie outro.',
  )
  expect(stderr).not.toContain(token)
})
