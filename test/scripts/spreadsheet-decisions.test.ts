import { expect, it } from 'vitest'
import { decide } from '../../scripts/commands/spreadsheets/decisions.ts'
import { toRows } from '../../scripts/commands/spreadsheets/rows.ts'
import type { Informer, State } from '../../scripts/commands/spreadsheets/state.ts'

const [CPF, OTHER_CPF] = ['52998224725', '11144477735']

const uuidOf = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const [FIRST, SECOND, THIRD] = [uuidOf(1), uuidOf(2), uuidOf(3)]

function informerOf(
  full_name: string,
  email: string,
  cpf: string,
  ...groupIds: string[]
): Informer {
  const process = { id: 'P', protocol: 'P' }
  return {
    id: full_name,
    first_name: full_name,
    last_name: null,
    full_name,
    email,
    cpf: cpf || null,
    phone: '1',
    img_url: null,
    treatment_pronoun: null,
    category: null,
    diocese: null,
    processes_groups: groupIds.map((id) => ({
      process,
      group: { id, name: id },
      questionnaire_status: 'Pendente',
    })),
  }
}

const STATE: State = {
  treatment_pronouns: [{ id: 1, name: 'Dom', active: true }],
  categories: [
    { id: 1, name: 'Pároco', active: true },
    { id: 2, name: 'Vigário', active: false },
  ],
  dioceses: [
    { id: 1, name: 'Diocese de Cruz', state: 'AC', active: true },
    { id: 2, name: 'Diocese de Cruz', state: 'SP', active: true },
  ],
  processes: [
    {
      id: 'P1',
      protocol: 'MG-1',
      groups: [
        { id: FIRST, name: 'Grupo 1', questionnaires: [] },
        { id: SECOND, name: 'Grupo 2', questionnaires: [] },
      ],
    },
    {
      id: 'P2',
      protocol: 'MG–2',
      groups: [{ id: THIRD, name: 'Grupo 1', questionnaires: [] }],
    },
  ],
  informers: [
    informerOf("Inês D'Ávila", 'ines@x.org', CPF, FIRST),
    informerOf('Rui Só', 'rui@x.org', ''),
  ],
}

/** Decides about rows, of which the first are the headings, as cells parted by `;`. */
function decideLines(headings: string, ...lines: string[]) {
  const rows = [headings, ...lines].map((text, at) => ({
    line: at + 1,
    cells: text.split(';'),
  }))
  return decide(toRows(rows), STATE).map(({ rows: _, ...decision }) => decision)
}

/** What is told of all rows, each as `line: text`. */
const toldOf = (headings: string, ...lines: string[]) =>
  decideLines(headings, ...lines).flatMap(({ messages }) =>
    messages.map(({ line, text }) => `${line}: ${text}`),
  )

it('somebody new is created with what the cells say, and with the groups of all their rows in order', () => {
  const headings =
    'Nome;Sobrenome;E-mail;CPF;Telefone;Pronome;Função;Diocese;Processo;Grupo;Senha;Foto;Confirmar e-mail'
  const decisions = decideLines(
    headings,
    'Ana;Lima;ANA@x.org;111.444.777-35;1;dom;PAROCO;diocese de cruz (sp);mg–1;grupo 2; Senha 2026 ;https://x.org/a;Não',
    'Eva;;eva@x.org',
    'Ana;;ana@x.org;;;Dom;;;MG-2;Grupo 1',
    'Ana;Lima;;11144477735;;;;;MG-1;GRUPO 1',
  )
  expect(decisions).toEqual([
    {
      kind: 'new',
      name: 'Ana Lima',
      messages: [],
      previews: [2, 4, 5].map((line) => ({ line, text: 'novo' })),
      getsNoMail: false,
      body: {
        first_name: 'Ana',
        last_name: 'Lima',
        email: 'ana@x.org',
        cpf: OTHER_CPF,
        phone: '1',
        treatment_pronoun_id: 1,
        category_id: 1,
        diocese_id: 2,
        password: ' Senha 2026 ',
        img_url: 'https://x.org/a',
        require_email_verification: false,
        group_ids: [SECOND, THIRD, FIRST],
      },
    },
    expect.objectContaining({ kind: 'new', name: 'Eva', getsNoMail: true }),
  ])
})

it.each([
  ['with a password', 'a@x.org', 'Senha2026', '', false],
  ['to be confirmed', 'a@x.org', '', 'sim', false],
  ['not to be confirmed', 'a@x.org', '', 'não', true],
  ['to be confirmed, in Excel', 'a@x.org', '', 'VERDADEIRO', false],
  ['not to be confirmed, in Excel', 'a@x.org', '', 'FALSO', true],
  ['to be confirmed, in Google Sheets', 'a@x.org', '', 'TRUE', false],
  ['not to be confirmed, in Google Sheets', 'a@x.org', '', 'FALSE', true],
  ['without an email', '', 'Senha2026', '', false],
])('whether somebody new gets no mail: %s', (_, email, password, answer, getsNoMail) => {
  const [decision] = decideLines(
    'Nome;E-mail;CPF;Senha;Confirmar e-mail',
    `Ana;${email};${OTHER_CPF};${password};${answer}`,
  )
  expect(decision).toMatchObject({ kind: 'new', getsNoMail })
})

it('somebody known gets the missing groups alone, whatever else the rows say', () => {
  const decisions = decideLines(
    'Nome;Sobrenome;E-mail;CPF;Telefone;Diocese;Processo;Grupo',
    `INES;d’avila;;${CPF};${'9'.repeat(99)};Nenhuma;MG-1;Grupo 1`,
    'Rui;Só;rui@x.org',
    ';;ines@x.org;;2;;MG-1;Grupo 2',
    `Inês D'Ávila;;;${CPF};;;MG-1;Grupo 2`,
  )
  expect(decisions).toEqual([
    {
      kind: 'known',
      name: 'INES d’avila',
      id: "Inês D'Ávila",
      groupIds: [SECOND],
      messages: [4, 5].map((line) => ({
        line,
        text: 'já cadastrado, novo grupo: Grupo 2 (MG-1)',
      })),
      previews: [{ line: 2, text: 'já cadastrado' }],
    },
    {
      kind: 'known',
      name: 'Rui Só',
      id: 'Rui Só',
      groupIds: [],
      messages: [],
      previews: [{ line: 3, text: 'já cadastrado' }],
    },
  ])
})

const HEADINGS =
  'Nome;Sobrenome;E-mail;CPF;Telefone;Função;Diocese;Processo;Grupo;Senha;Confirmar e-mail'
const ANOTHER = 'uma linha anterior com o mesmo CPF ou e-mail diz outra coisa'

it.each([
  ['neither CPF nor email', ['Ana'], ['2: falta o CPF ou o e-mail']],
  [
    'the rules of the service, with the names of lists, all at once',
    ['A\u0001;;a@x;11144477736;;VIGARIO;Diocese de cruz;MG-1;Grupo 9;curta;talvez'],
    [
      '2: Grupo "Grupo 9": não está no serviço',
      '2: Confirmar e-mail "talvez": deve ser sim ou não',
      '2: Função "VIGARIO": está desativado',
      '2: Diocese "Diocese de cruz": é ambíguo',
      '2: Nome "A[U+0001]": O campo nome contém caracteres inválidos.',
      '2: Senha: A senha deve ter pelo menos 6 caracteres.',
      '2: Senha: A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
      '2: CPF "11144477736": O CPF informado é inválido.',
      '2: E-mail "a@x": O email deve ter um formato válido.',
    ],
  ],
  [
    'an email to be confirmed that is not there',
    [`Ana;;;${OTHER_CPF};;;;;;;sim`],
    ['2: E-mail: O email é obrigatório quando a verificação de email é exigida.'],
  ],
  ['no name', [`;Lima;a@x.org`], ['2: Nome: O campo nome é obrigatório.']],
  [
    'a process without a group, and a group without a process',
    ['Ana;;a@x.org;;;;;MG-1', 'Eva;;e@x.org;;;;;;Grupo 1'],
    ['2: falta o Grupo', '3: falta o Processo'],
  ],
  [
    'a process that is not there, also of somebody known',
    ['Ana;;a@x.org;;;;;MG-9;Grupo 1', 'Rui;Só;rui@x.org;;;;;MG-9;Grupo 1'],
    [
      '2: Processo "MG-9": não está no serviço',
      '3: Processo "MG-9": não está no serviço',
    ],
  ],
  [
    'rows of one email that differ, and with them the others of the person',
    ['Ana;;a@x.org;;1', 'Ana;;A@x.org', 'Ana;;a@x.org;;2', 'Eva;;a@x.org;;1;;;;;X1'],
    [
      `4: Telefone "2": ${ANOTHER}`,
      `5: Nome "Eva": ${ANOTHER}`,
      '2: recusada com a linha 4',
      '3: recusada com a linha 4',
    ],
  ],
  [
    'passwords that differ, which are not told',
    ['Ana;;a@x.org;;;;;;;Senha2026', 'Ana;;a@x.org;;;;;;;Senha2027'],
    [`3: Senha: ${ANOTHER}`, '2: recusada com a linha 3'],
  ],
  [
    'a CPF of one row with the email of another, which joins the two',
    [`Ana;;a@x.org;${OTHER_CPF}`, 'Eva;;e@x.org', `Ana;;e@x.org;${OTHER_CPF}`],
    [
      `3: E-mail "e@x.org": ${ANOTHER}`,
      `4: E-mail "e@x.org": ${ANOTHER}`,
      '2: recusada com a linha 3',
    ],
  ],
  [
    'a CPF and an email of two people of the service, with all rows of both',
    [`Inês;D'Ávila;;${CPF}`, `Inês;D'Ávila;rui@x.org;${CPF}`, 'Rui;Só;rui@x.org'],
    [2, 3, 4].map((line) => `${line}: o CPF e o e-mail são de Inês D'Ávila e Rui Só`),
  ],
  [
    'another name than that of the service',
    ['Rui;Sá;rui@x.org', 'Inês;;ines@x.org'],
    [
      '2: Nome "Rui Sá": no cadastro é Rui Só',
      `3: Nome "Inês": no cadastro é Inês D'Ávila`,
    ],
  ],
  [
    'a spoilt cell, also of somebody known, and with it the other rows of the person',
    ['Rui;Só;rui@x.org;;#N/D', 'Rui;Só;rui@x.org;;;;;MG-1;Grupo 1'],
    ['2: Telefone "#N/D": a célula tem um erro', '3: recusada com a linha 2'],
  ],
])('refused: %s', (_, lines, told) => {
  expect(toldOf(HEADINGS, ...lines)).toEqual(told)
  for (const { kind } of decideLines(HEADINGS, ...lines)) expect(kind).toBe('refused')
})

it('a person is known by a CPF in one row and by an email in another', () => {
  const decisions = decideLines(
    'Nome;Sobrenome;E-mail;CPF;Processo;Grupo',
    `Inês;D'Ávila;;${CPF};MG-2;Grupo 1`,
    'Inês;;ines@x.org;;MG-1;Grupo 2',
  )
  expect(decisions).toMatchObject([{ kind: 'known', groupIds: [THIRD, SECOND] }])
})

it('groups of somebody new count once, however many rows name them', () => {
  const rows = Array<string>(200).fill('Ana;a@x.org;MG-1;Grupo 1')
  const decisions = decideLines('Nome;E-mail;Processo;Grupo', ...rows)
  expect(decisions).toMatchObject([{ kind: 'new', body: { group_ids: [FIRST] } }])
})
