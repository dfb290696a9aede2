import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { accessToken } from '../../scripts/commands/service/service-client.ts'
import { serveDemo } from './demo-service.ts'
import { runInProcess } from './in-process.ts'
import { withLossyProxy, withProxy } from './service-proxy.ts'
import { spreadsheetOffice } from './spreadsheet-office.ts'

const office = spreadsheetOffice()
const { service, find, importFile } = office

const counts = (created: number, known: number, refused: number) =>
  `Cadastrados: ${created}\nJá cadastrados: ${known}\nRecusados: ${refused}\n`
const withoutMail = (count: number) =>
  `Com e-mail, sem senha e sem mensagem: ${count}. Essas pessoas pedem a senha em /redefinir-senha.\n`
const SIMULATED = 'Foi só uma simulação: nada foi enviado.\n'

/** A CSV of so many people, with a word in their names and emails. */
const peopleNamed = (word: string, count: number) =>
  `Nome;Sobrenome;E-mail\n${Array.from({ length: count }, (_, at) => `${word};N${at};${word}${at}@example.org\n`).join('')}`

/** Once each, whatever happened on the way. */
async function expectPeople(word: string, count: number) {
  const people: { email: string }[] = await find(word)
  const emails = people.map(({ email }) => email)
  expect([emails.length, new Set(emails).size]).toEqual([count, count])
}

it('informers:import brings people into their groups, after a dry run that only tells, and nobody twice', async () => {
  const csv = [
    'Nome;Sobrenome;E-mail;CPF;Telefone;Pronome;Função;Diocese;Processo;Grupo;Senha;Foto;Confirmar e-mail',
    `Joana;d'Arc;Joana@example.org;1234567032;(11) 5555-0000;dom;BISPO DIOCESANO;Diocese de Cruzeiro do Sul;BR-2026-001;grupo 3;Senha2026;https://example.org/j.png;não`,
    'Marta;Reis;marta@example.org;;;;;;;;;;sim',
    `Joana;d'Arc;joana@example.org;;;;;;BR-2026-002;Grupo 1`,
    'Adão;Só;admin@example.org',
    'Clara;Nunes;clara@example.org;;;;;;BR-2026-001;Grupo 2',
    'Clara;Outra;clara@example.org',
    'Noé;Só;noe@example.org',
    'Ana;da Silva Souza;ana@example.org',
  ].join('\n')
  const notes = `linha 2, Joana d'Arc: CPF "1234567032": completado com zeros, 01234567032\n`
  const refusals = [
    'linha 6, Clara Nunes: recusada com a linha 7\n',
    'linha 7, Clara Nunes: Nome "Clara Outra": no cadastro é Clara Nunes\n',
  ].join('')

  expect(await importFile(csv, ['--dry-run'])).toEqual({
    code: 1,
    stdout: [
      notes,
      `linha 2, Joana d'Arc: novo\n`,
      `linha 3, Marta Reis: novo\nlinha 4, Joana d'Arc: novo\nlinha 5, Adão Só: novo\n`,
      refusals,
      'linha 8, Noé Só: novo\nlinha 9, Ana da Silva Souza: já cadastrado\n',
      counts(4, 1, 1),
      withoutMail(2),
      SIMULATED,
    ].join(''),
    stderr: '',
  })
  expect(await find('joana')).toEqual([])

  const administrator =
    'linha 5, Adão Só: E-mail "admin@example.org": Este email já está cadastrado no sistema.\n'
  expect(await importFile(csv)).toEqual({
    code: 1,
    stdout: `${notes}${administrator}${refusals}${counts(3, 1, 2)}${withoutMail(1)}`,
    stderr: '',
  })
  expect(await find('joana')).toMatchObject([
    {
      full_name: "Joana d'Arc",
      email: 'joana@example.org',
      cpf: '01234567032',
      phone: '(11) 5555-0000',
      img_url: 'https://example.org/j.png',
      treatment_pronoun: { name: 'Dom' },
      category: { name: 'Bispo Diocesano' },
      diocese: { name: 'Diocese de Cruzeiro do Sul' },
      has_password: true,
      processes_groups: [
        { process: { protocol: 'BR-2026-001' }, group: { name: 'Grupo 3' } },
        { process: { protocol: 'BR-2026-002' }, group: { name: 'Grupo 1' } },
      ],
    },
  ])
  expect(readdirSync(office.folder)).toEqual(['informers.csv'])
  expect(service.logs.join('\n')).not.toMatch(/joana|01234567032|Senha2026/i)

  const corrected = csv
    .replace('Clara;Outra', 'Clara;Nunes')
    .replace(/Adão.+/, '')
    .replace('Noé;Só;noe@example.org', '$&;;;;;;BR-2026-002;Grupo 2')
  expect(await importFile(corrected)).toEqual({
    code: 0,
    stdout: [
      notes,
      'linha 6, Clara Nunes: já cadastrado, novo grupo: Grupo 2 (BR-2026-001)\n',
      'linha 8, Noé Só: já cadastrado, novo grupo: Grupo 2 (BR-2026-002)\n',
      counts(0, 5, 0),
    ].join(''),
    stderr: '',
  })
  expect(await find('clara')).toMatchObject([{ group: { name: 'Grupo 2' } }])
  expect((await importFile(corrected)).stdout).toBe(notes + counts(0, 5, 0))
})

it('informers:import counts nobody as without a mail if the service has everybody confirm', async () => {
  const strict = await serveDemo({ REQUIRE_EMAIL_VERIFICATION: 'true' })
  onTestFinished(strict.stop)
  const args = [strict.baseUrl, office.fileOf(peopleNamed('rosa', 1), 'strict.csv')]
  const env = { ACCESS_TOKEN: strict.token }
  expect((await runInProcess('informers-import', args, { env })).stdout).toBe(
    counts(1, 0, 0),
  )
})

describe('informers:import', () => {
  it('survives lost connections', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.01) // short pauses
    onTestFinished(() => void vi.restoreAllMocks())
    const { result, lost } = await withLossyProxy(service.baseUrl, 5, (baseUrl) =>
      importFile(peopleNamed('perdida', 30), [], baseUrl),
    )
    expect(lost).toBeGreaterThan(5)
    expect(result).toMatchObject({ code: 0, stdout: counts(30, 0, 0) + withoutMail(30) })
    await expectPeople('perdida', 30)
  })

  it('ends in a line if the service is gone, and is repeated', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.01)
    onTestFinished(() => void vi.restoreAllMocks())
    const csv = peopleNamed('caida', 20)
    const { code, stdout, stderr } = await withProxy(
      service.baseUrl,
      async (count, response, forward) => {
        if (count > 10) response.destroy()
        else await forward()
      },
      (baseUrl) => importFile(csv, [], baseUrl),
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^Não foi possível importar: http:.+\/informers: .+\. O comando pode ser repetido sem risco\.\n$/,
    )
    expect((await importFile(csv)).stdout).toContain(counts(10, 10, 0))
    await expectPeople('caida', 20)
  })

  it('ends in a line if its token does, and is repeated', async () => {
    const password = 'Zimbro-Turmalina-2026'
    const email = 'outra@example.org'
    const { id } = await office.call('POST', '/administrators', {
      current_password: DEMO_PASSWORD,
      first_name: 'Outra',
      email,
      password,
    })
    const token = await accessToken({ baseUrl: service.baseUrl }, email, password)
    const csv = peopleNamed('finda', 20)
    const { code, stdout, stderr } = await withProxy(
      service.baseUrl,
      async (count, _, forward) => {
        if (count === 10) await office.call('DELETE', `/administrators/${id}/sessions`)
        await forward()
      },
      (baseUrl) =>
        runInProcess('informers-import', [baseUrl, office.fileOf(csv)], {
          env: { ACCESS_TOKEN: token },
        }),
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^Não foi possível importar: http:.+: 401 Token inválido\. A sessão terminou, .+ sem risco\.\n$/,
    )
    expect((await importFile(csv)).code).toBe(0)
    await expectPeople('finda', 20)
  })

  it('refuses a file before it sends anything, in a line', async () => {
    const nowhere = 'http://nowhere.invalid/v1'
    expect(await importFile('Nome;Senha\nJoÃ£o;Segredo', [], nowhere)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Não foi possível importar: linha 2: acentos trocados; salve como CSV UTF-8\n',
    })
    expect((await importFile('', [], nowhere)).stderr).toBe(
      'Não foi possível importar: a planilha está vazia\n',
    )
    const missing = await runInProcess('informers-import', [
      service.baseUrl,
      '/nowhere.csv',
    ])
    expect(missing.stderr).toBe(
      'Não foi possível importar: o arquivo /nowhere.csv não pode ser lido (ENOENT)\n',
    )
  })

  it.each([
    [
      'a redirect',
      'http://127.0.0.1:PORT/v1',
      /redireciona para https:\/\/elsewhere\.example\/; o comando não segue redirecionamentos\.\n$/,
    ],
    [
      'clear text',
      'http://service.example:PORT/v1',
      /^Não foi possível importar: http:.+ não é criptografado\. Use https:, ou --insecure /,
    ],
  ])('sends no token into %s', async (_, address, message) => {
    const server = createServer((_request, response) =>
      response.writeHead(307, { Location: 'https://elsewhere.example/' }).end(),
    ).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const baseUrl = address.replace('PORT', String(port))
    const { code, stderr } = await importFile(peopleNamed('x', 1), [], baseUrl)
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })

  it('shows its progress on a terminal, and leaves what is typed meanwhile to the shell', async () => {
    const file = office.fileOf(peopleNamed('barra', 2))
    const command = `'${process.execPath}' scripts/commands/informers-import.ts ${service.baseUrl} '${file}'; read typed; echo "then: $typed"`
    const child = spawn(
      'script',
      ['--quiet', '--return', '--command', command, '/dev/null'],
      {
        env: { ...process.env, ACCESS_TOKEN: service.token },
      },
    )
    child.stdin.write('the next command\n')
    const closed = once(child, 'close')
    const screen = Buffer.concat(await Array.fromAsync(child.stdout)).toString()
    expect(screen).toContain('1 de 2\r2 de 2')
    expect(screen).toContain('then: the next command')
    expect(await closed).toEqual([0, null])
  })

  it('--template prints the columns to fill in', async () => {
    expect(await runInProcess('informers-import', ['--template'])).toEqual({
      code: 0,
      stdout:
        '\uFEFF"Nome";"Sobrenome";"E-mail";"CPF";"Telefone";"Pronome";"Função";"Diocese";"Processo";"Grupo";"Senha";"Foto";"Confirmar e-mail"\r\n',
      stderr: '',
    })
  })
})
