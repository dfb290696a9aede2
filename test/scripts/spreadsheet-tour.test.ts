import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/lib/demo.ts'
import { demoService } from './demo-service.ts'

const service = demoService()

/** Runs each block of a section as it is written, with the password on standard input, and returns what it prints. */
function tour(document: string, heading: string): string[] {
  const text = readFileSync(document, 'utf8')
  const section = text.slice(text.indexOf(`\n## ${heading}\n`)).split('\n## ')[1] ?? ''
  return Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => {
    const command = block
      .replaceAll('http://127.0.0.1:8787/v1', service.baseUrl)
      .replaceAll(/\w+\.csv/g, (file) => join(service.stateDir, file))
    const { status, stdout, stderr } = spawnSync('bash', ['-euc', command], {
      input: `${DEMO_PASSWORD}\n`,
      encoding: 'utf8',
      env: { ...process.env, ACCESS_TOKEN: '' },
    })
    expect([status, stdout], stderr).toEqual([0, expect.any(String)])
    return stdout.replace(/^\n>[^]*?\n\n/, '')
  })
}

it('the spreadsheet of docs/README.pt-BR.md is imported, exported and corrected', () => {
  const [template, dryRun, created, exported, updated] = tour('docs/README.pt-BR.md', 'Muitas pessoas de uma vez')
  expect([template, exported]).toEqual(['', ''])
  const completed = 'linha 3, Raimundo Nonato Sá: CPF "1234567032" completado com zeros: 01234567032\n'
  expect(dryRun).toMatch(new RegExp(`^${completed}Cadastrados: 2\n[^]*nada foi enviado`))
  expect(created).toMatch(new RegExp(`^${completed}Cadastrados: 2\n`))
  expect(updated).toMatch(/^linha \d, Joana d'Arc Pereira: alterado: Telefone\n/)
})

it('the export of docs/operating.md is corrected and imported', () => {
  const [exported, dryRun, updated] = tour('docs/operating.md', 'A spreadsheet of informers')
  const changed = /^linha \d, Ana da Silva Souza: alterado: Telefone\n/
  expect([exported, dryRun, updated]).toEqual(['', expect.stringMatching(changed), expect.stringMatching(changed)])
})
