import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, logIn } from '../../scripts/commands/provisioning/demo.ts'
import { runInProcess } from './in-process.ts'
import { spreadsheetOffice } from './spreadsheet-import.ts'

const office = spreadsheetOffice()
const { service, find } = office

/** Runs the command, with a line of input and an access token. */
const run = (args: string[], { accessToken = service.token, input = '' } = {}) =>
  runInProcess('informers-import', args, {
    env: { ACCESS_TOKEN: accessToken, TMPDIR: office.folder },
    input: `${input}\n`,
  })

const importFile = (
  content: string | Uint8Array,
  options: string[] = [],
  baseUrl = service.baseUrl,
) => run([baseUrl, office.fileOf(content), ...options])

/** The line that a message is about. */
const lineOf = (message: string) => Number(/^linha (\d+)/.exec(message)?.[1])

const DELETED =
  'Para cadastrar de novo quem foi excluído: a linha sem ID, uma semana depois; antes, pela API.'

const ONE_WITHOUT_MAIL =
  'Sem mensagem: 1. Quem entrou com e-mail, sem senha e sem confirmar o e-mail pede a senha em /redefinir-senha.\n'

/** What the command prints of all people. */
function summary(counts: {
  created?: number
  known?: number
  changed?: number
  deleted?: number
  refused?: number
}) {
  const { created = 0, known = 0, changed = 0, deleted = 0, refused = 0 } = counts
  const lines = [
    `Cadastrados: ${created}`,
    `Já conhecidos: ${known}`,
    `Alterados: ${changed}`,
    `Excluídos antes, e não cadastrados de novo: ${deleted}`,
    `Recusados: ${refused}`,
    ...(deleted > 0 ? [DELETED] : []),
    ...(refused > 0
      ? [
          'Corrija as linhas recusadas e importe o arquivo inteiro de novo: ninguém é cadastrado duas vezes.',
        ]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

describe('npm run informers:import', () => {
  it('creates the informers of a spreadsheet, and none twice', async () => {
    const csv = [
      'first_name;last_name;email;CPF;phone;password;require_email_verification;treatment_pronoun;category;diocese;process;group;img_url',
      'Joana;"d\'Arc Pereira";Joana@example.org;529.982.247-25;"(11) 5555-0000";Senha2026;não;dom;BISPO DIOCESANO;Diocese de Cruzeiro do Sul;BR-2026-001;grupo 3;https://example.org/joana.png',
      ';;;;;;;;;;;;',
      'Joana;"d\'Arc Pereira";Joana@example.org;529.982.247-25;"(11) 5555-0000";Senha2026;não;Dom;Bispo Diocesano;Diocese de Cruzeiro do Sul;BR-2026-002;grupo 1;https://example.org/joana.png',
      'Marta;Reis;marta@example.org;;;;VERDADEIRO;;;;Provisão da Arquidiocese de Porto Claro;Grupo 1;',
      'Sem;Contato;;;;;;;;;;;',
      '',
    ].join('\r\n')
    const done = { code: 0, stdout: summary({ created: 3 }), stderr: '' }
    expect(await importFile(`\uFEFF${csv}`)).toEqual(done)
    const data = await find('joana')
    expect(data).toMatchObject([
      {
        full_name: "Joana d'Arc Pereira",
        email: 'joana@example.org',
        cpf: '52998224725',
        phone: '(11) 5555-0000',
        img_url: 'https://example.org/joana.png',
        treatment_pronoun: { name: 'Dom' },
        category: { name: 'Bispo Diocesano' },
        diocese: { name: 'Diocese de Cruzeiro do Sul' },
        processes_groups: [
          { process: { protocol: 'BR-2026-001' }, group: { name: 'Grupo 3' } },
          { process: { protocol: 'BR-2026-002' }, group: { name: 'Grupo 1' } },
        ],
        has_password: true,
      },
    ])
    expect(await find('marta')).toMatchObject([
      {
        process: { protocol: 'BR-2026-002' },
        group: { name: 'Grupo 1' },
        category: null,
      },
    ])
    expect(readdirSync(office.folder)).toEqual(['informers.csv'])
    expect(service.logs.join('\n')).not.toMatch(/joana|52998224725|Senha2026/i)

    const again = { code: 0, stdout: summary({ known: 3 }), stderr: '' }
    expect(await importFile(csv)).toEqual(again)
    for (const name of ['joana', 'marta', 'sem contato']) {
      expect(await find(name)).toHaveLength(1)
    }
  })

  it.each([
    [
      'excel.csv',
      3,
      'João Conceição Araújo',
      { cpf: '31415926590', category: { name: 'Pároco' } },
    ],
    ['excel.csv', 0, 'Inês "Nena" Brandão; irmã', { group: { name: 'Grupo 4' } }],
    [
      'excel-utf8.csv',
      2,
      'Úrsula Gusmão',
      { phone: '+55 (21) 5555-0102', group: { name: 'Grupo 4' } },
    ],
    ['excel-unicode.txt', 1, 'Zélia Paixão', { cpf: '17320508052' }],
    ['excel-tabs.txt', 1, 'Tomé Simões', { cpf: '22360679767' }],
    [
      'google.csv',
      2,
      'Lídia Prado, viúva',
      { phone: '(31) 5555-0103', group: { name: 'Grupo 5' } },
    ],
    [
      'libreoffice.xlsx',
      3,
      'Bernardo Paz Neto',
      { cpf: '00123456100', last_name: 'Paz Neto' },
    ],
    ['libreoffice.xlsx --sheet Clero', 1, 'Damião Couto', { cpf: '90807060518' }],
  ])(
    'takes %s whole, as the spreadsheet program saved it',
    async (file, created, name, expected) => {
      const [path = '', ...options] = file.split(' ')
      const { code, stdout } = await run([
        service.baseUrl,
        `test/scripts/spreadsheets/${path}`,
        ...options,
      ])
      expect(stdout).toContain(`Cadastrados: ${created}\n`)
      expect([code, await find(name)]).toMatchObject([
        0,
        [{ full_name: name, ...expected }],
      ])
    },
  )

  it('names what is refused by line and person, with the messages of the service, and creates the rest', async () => {
    const csv = [
      'Nome,Sobrenome,E-mail,CPF,Função,Diocese,Processo,Grupo,Confirmar e-mail,Senha',
      'Ana,Outra,admin@example.org,,,,,,,',
      '"Rui\nAlves",,rui@example.org,,,,,,,',
      ',,sem-nome@example.org,11144477736,Bispo,Diocese de X,BR-2026-001,Grupo 9,,',
      'Noé,,noe@example.org,,,,BR-9,Grupo 1,,',
      'Davi,,davi@example.org,,,,BR-2026-001,,talvez,curta',
      'Léa,,lea@example.org,,,,,Grupo 1,sim,',
      'Tito,Certo,tito@example.org,,,,,,,',
      'Tito,Certo,TITO@example.org,,,,,,,',
      'Um,a mais,x@example.org,,,,,,,,sobra',
      'Um a menos,x@example.org',
      'Gil,,,,,,,,,',
      'Íris,,,,,,,,sim,',
    ].join('\n')
    const problems = [
      'linha 2, Ana Outra: já é administrador',
      'linha 3, Rui Alves: Nome "Rui Alves": O campo nome contém caracteres inválidos.',
      'linha 4, sem-nome@example.org: Nome: O campo nome é obrigatório.',
      'linha 4, sem-nome@example.org: CPF "11144477736": O CPF informado é inválido.',
      'linha 5, Noé: Processo: "BR-9" não foi encontrado',
      'linha 6, Davi: Senha: A senha deve ter pelo menos 6 caracteres.',
      'linha 6, Davi: Senha: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
      'linha 6, Davi: Confirmar e-mail "talvez": O campo verificação de email deve ser verdadeiro ou falso.',
      'linha 6, Davi: Grupo: obrigatório com um processo',
      'linha 7, Léa: Processo: obrigatório com um grupo',
      'linha 9, Tito Certo: igual à linha 8',
      'linha 10, sem nome: 11 células, mas os títulos são 10',
      'linha 11, sem nome: 2 células, mas os títulos são 10',
      'linha 13, Íris: E-mail: O email é obrigatório quando a verificação de email é exigida.',
    ]
    const dryRun = await importFile(csv, ['--dry-run'])
    const end = summary({ created: 2, refused: 10 })
    const result = [...problems, end].join('\n')
    const created = ['linha 8, Tito Certo: novo', 'linha 12, Gil: novo']
    const preview = [...problems, ...created].sort(
      (one, other) => lineOf(one) - lineOf(other),
    )
    expect(dryRun.stdout).toBe(
      `${[...preview, end].join('\n')}Foi só uma simulação: nada foi enviado.\n${ONE_WITHOUT_MAIL}`,
    )
    expect([dryRun.code, (await find('tito')).length]).toEqual([1, 0])
    const stdout = result + ONE_WITHOUT_MAIL
    expect(await importFile(csv)).toEqual({ code: 1, stdout, stderr: '' })
    expect([(await find('tito')).length, (await find('gil')).length]).toEqual([1, 1])
  })

  it('tells in what known people differ, and changes it with --update', async () => {
    const header = 'Nome completo;E-mail;CPF;Telefone;Função;Processo;Grupo\n'
    await importFile(
      `${header}Rute da Luz;rute@example.org;;1;;BR-2026-001;Grupo 1\nRuy Só;;;;;;\n`,
    )
    const changed = `${header}Rute da Luz;rute@example.org;39053344705;2;;BR-2026-002;Grupo 2\nRuy Só;;;3;;;\n`
    const changes =
      'CPF: (vazio) → 39053344705; Telefone: 1 → 2; Grupo: Grupo 2 (continua em: Grupo 1)'
    const differs = [
      `linha 2, Rute da Luz: já está no cadastro, e difere em: ${changes}`,
      'linha 3, Ruy Só: já está no cadastro, e difere em: Telefone: (vazio) → 3',
    ]
    const { stdout } = await importFile(changed)
    expect(stdout).toBe(
      `${[...differs, summary({ known: 2 })].join('\n')}Para alterar quem já era conhecido: --update.\n`,
    )
    expect(await find('rute')).toMatchObject([{ cpf: null, phone: '1' }])
    const updates = [
      `linha 2, Rute da Luz: alterado: ${changes}`,
      'linha 3, Ruy Só: alterado: Telefone: (vazio) → 3',
    ]
    const update = await importFile(changed, ['--update'])
    expect(update.stdout).toBe([...updates, summary({ changed: 2 })].join('\n'))
    const [rute] = await find('rute')
    expect(rute).toMatchObject({
      cpf: '39053344705',
      phone: '2',
      first_name: 'Rute',
      last_name: 'da Luz',
    })
    expect(rute.processes_groups).toHaveLength(2)
    expect(await find('ruy')).toMatchObject([{ phone: '3' }])
    expect(await importFile(changed, ['--update'])).toMatchObject({
      stdout: summary({ known: 2 }),
    })
  })

  it('creates nobody again who was deleted within the week', async () => {
    const csv = 'Nome;E-mail;Telefone\nEfraim;efraim@example.org;1\n'
    await importFile(csv)
    const [efraim] = await find('efraim')
    await office.remove(efraim.id)
    const deleted = `linha 2, Efraim: foi excluído há menos de uma semana\n${summary({ deleted: 1 })}`
    expect(await importFile(csv)).toEqual({ code: 0, stdout: deleted, stderr: '' })
    expect(await find('efraim')).toHaveLength(0)
  })

  it('prompts for the password of --login', async () => {
    const args = [
      service.baseUrl,
      office.fileOf('first_name,email\nRosa,rosa@example.org\n'),
      '--login',
      'admin@example.org',
    ]
    expect(await run(args, { accessToken: '', input: DEMO_PASSWORD })).toEqual({
      code: 0,
      stdout: summary({ created: 1 }) + ONE_WITHOUT_MAIL,
      stderr: '',
    })
  })

  it.each([
    [
      'Nome;Telefonne;E-mail;E-mail;Processo;Protocolo\nA;B;C;D;E;F\n',
      /^a coluna "Telefonne" é desconhecida; as colunas "E-mail" e "E-mail" são a mesma; as colunas "Processo" e "Protocolo" são a mesma\. As colunas são: Nome, Sobrenome, Nome completo, E-mail, /,
    ],
    [
      'email\nx@example.org\n',
      /^falta a coluna "Nome" ou "Nome completo"\. As colunas são: /,
    ],
  ])('names wrong headings: %j', async (content, message) => {
    const { code, stdout, stderr } = await importFile(content)
    expect(stderr).toMatch(/^Não foi possível importar: .+\n$/)
    expect(stderr.slice('Não foi possível importar: '.length, -1)).toMatch(message)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('names a sheet that is missing, and a file', async () => {
    const xlsx = 'test/scripts/spreadsheets/libreoffice.xlsx'
    expect((await run([service.baseUrl, xlsx, '--sheet', 'Nada'])).stderr).toBe(
      'Não foi possível importar: não há planilha "Nada" no arquivo\n',
    )
    expect((await run([service.baseUrl, '/nowhere.csv'])).stderr).toBe(
      'Não foi possível importar: o arquivo /nowhere.csv não pode ser lido (ENOENT)\n',
    )
  })

  it('reports a user that is not an administrator', async () => {
    const accessToken = await logIn(service.baseUrl, 'ana@example.org')
    const { stderr } = await run([service.baseUrl, office.fileOf('first_name\nA\n')], {
      accessToken,
    })
    expect(stderr).toMatch(
      /^Não foi possível importar: http.+\/v1\/.+: 403 Acesso restrito a administradores\.\n$/,
    )
  })

  it('shows its progress on a terminal, and asks for the password without showing it', async () => {
    const file = office.fileOf(
      'first_name,email\nAna,barra1@example.org\nEva,barra2@example.org\n',
    )
    const command = `stty cols 80; '${process.execPath}' scripts/commands/informers-import.ts ${service.baseUrl} '${file}' --login admin@example.org`
    const child = spawn('script', [
      '--quiet',
      '--return',
      '--command',
      command,
      '/dev/null',
    ])
    let screen = ''
    child.stdout.on('data', (chunk) => {
      if (!screen.includes('Senha') && String(chunk).includes('Senha')) {
        setTimeout(() => child.stdin.write(`${DEMO_PASSWORD}\r`), 100)
      }
      screen += chunk
    })
    const [code] = await once(child, 'close')
    expect(screen).toContain('2 de 2')
    expect(screen).not.toContain(DEMO_PASSWORD)
    expect(code).toBe(0)
  })

  it.each([
    [
      'a redirect',
      'http://127.0.0.1:PORT/v1',
      /redireciona para https:\/\/elsewhere\.example\/; o comando não segue redirecionamentos\.\n$/,
    ],
    [
      'a list without end',
      'http://127.0.0.1:PORT/endless',
      /: não é uma resposta deste serviço\n/,
    ],
    [
      'clear text',
      'http://service.example/v1',
      /^Não foi possível importar: http:.+ não é criptografado\. Use https:, ou --insecure /,
    ],
  ])('sends no password or token into %s', async (_, address, message) => {
    let calls = 0
    const server = createServer((request, response) => {
      calls += 1
      if (request.url?.startsWith('/v1')) {
        return response.writeHead(307, { Location: 'https://elsewhere.example/' }).end()
      }
      const page = { success: true, data: [], pagination: { has_more_pages: true } }
      return response.end(JSON.stringify(page))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const baseUrl = address.replace(
      'PORT',
      String((server.address() as AddressInfo).port),
    )
    const { code, stderr } = await importFile('first_name\nA\n', [], baseUrl)
    server.close()
    expect(stderr).toMatch(message)
    expect([code, calls]).toEqual([1, address.includes('PORT') ? 1 : 0])
  })
})
