import { describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../support/helper.ts'
import { fieldErrors } from '#http/request/validation.ts'
import { createInformerBody, updateInformerBody } from '#routes/informers/schemas.ts'

const noText = (label: string) => [`O campo ${label} deve ser um texto.`]
const invalid = (label: string) => [`O campo ${label} contém caracteres inválidos.`]
const tooLong = (label: string, max: string) => [
  `O campo ${label} deve ter no máximo ${max} caracteres.`,
]
const noBoolean = 'O campo verificação de email deve ser verdadeiro ou falso.'
const required = 'O campo nome é obrigatório.'
const emailForm = 'O email deve ter um formato válido.'
const short = 'A senha deve ter pelo menos 6 caracteres.'
const classes =
  'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'
const badPassword = 'A senha contém caracteres inválidos.'
const cpfForm = 'O CPF deve conter exatamente 11 dígitos numéricos.'
const cpfWrong = 'O CPF informado é inválido.'
const pronoun = 'O pronome de tratamento selecionado é inválido.'
const category = 'A categoria selecionada é inválida.'
const diocese = 'A diocese selecionada é inválida.'
const group = 'O grupo selecionado é inválido.'
const groupIds = 'Um dos grupos selecionados é inválido.'
const groupsList = 'O campo grupos deve ser uma lista.'
const url = 'A URL da imagem deve ser válida.'

describe('createInformerBody', () => {
  it.each([
    ['first_name', undefined, [required]],
    ['first_name', null, [required]],
    ['first_name', '', [required]],
    ['first_name', ' \u00a0\t', [required]],
    ['first_name', 7, noText('nome')],
    ['first_name', '\u200b', [required]],
    ['first_name', 'x'.repeat(101), tooLong('nome', '100')],
    ['first_name', 'Jo\u0000ão', invalid('nome')],
    ['first_name', 'Jo\não', invalid('nome')],
    ['first_name', 'Jo\u009fão', invalid('nome')],
    ['first_name', 'Jo\ud800ão', invalid('nome')],
    ['first_name', 'Jo\u2028ão', invalid('nome')],
    ['last_name', 'Sil\u0007va', invalid('sobrenome')],
    ['last_name', false, noText('sobrenome')],
    ['last_name', 'x'.repeat(151), tooLong('sobrenome', '150')],
    ['email', '', [emailForm]],
    ['email', 'joao', [emailForm]],
    ['email', 'joao@', [emailForm]],
    ['email', 'joao@exemplo', [emailForm]],
    ['email', 'jo ao@exemplo.org', [emailForm]],
    ['email', 'joao@exemplo..org', [emailForm]],
    ['email', 'jo..ao@exemplo.org', [emailForm]],
    ['email', '.joao@exemplo.org', [emailForm]],
    ['email', 'joao@-exemplo.org', [emailForm]],
    ['email', `${'a'.repeat(65)}@exemplo.org`, [emailForm]],
    ['email', 'joão@exemplo.org', [emailForm]],
    ['email', 'joao@exemplo.xn--', [emailForm]],
    ['email', 'joao@exemplo.123', [emailForm]],
    ['email', `joao@${'a'.repeat(64)}.org`, [emailForm]],
    ['email', `joao@exemplo.xn--${'a'.repeat(60)}`, [emailForm]],
    ['email', 7, noText('email')],
    ['email', `${'a'.repeat(250)}@x.org`, tooLong('email', '254')],
    ['password', 'Abc1', [short]],
    ['password', 'abc', [short, classes]],
    ['password', 'abcdef1', [classes]],
    ['password', 'ABCDEF1', [classes]],
    ['password', 'Abcdefg', [classes]],
    ['password', `Aa1${'x'.repeat(126)}`, ['A senha deve ter no máximo 128 caracteres.']],
    ['password', 1234567, noText('senha')],
    ['password', 'Sen\0ha2026', [badPassword]],
    ['password', 'Senha2026\ud800', [badPassword]],
    ['password', '\0', [short, classes, badPassword]],
    ['cpf', '529982247250', [cpfForm]],
    ['cpf', '529.982.247-25', [cpfForm]],
    ['cpf', ' 52998224725', [cpfForm]],
    ['cpf', '5299822472５', [cpfForm]],
    ['cpf', '529982247\u200b25', [cpfForm]],
    ['cpf', 52998224725, [cpfForm]],
    ['cpf', '52998224724', [cpfWrong]],
    ['cpf', '11111111111', [cpfWrong]],
    ['treatment_pronoun_id', '1', [pronoun]],
    ['category_id', 0, [category]],
    ['category_id', 1.5, [category]],
    ['category_id', 1e300, [category]],
    ['diocese_id', {}, [diocese]],
    ['group_id', '', [group]],
    ['img_url', 'x', [url]],
    ['img_url', 'ftp://example.org/x.png', [url]],
    ['img_url', 'javascript:https://example.org/x.png', [url]],
    ['img_url', 'https://ana@example.org/x.png', [url]],
    ['img_url', 'https://example.org/a\nb', [...invalid('URL da imagem'), url]],
    ['img_url', 'https://example.org/\0', invalid('URL da imagem')],
    ['img_url', 'https://:senha@example.org/x.png', [url]],
    [
      'img_url',
      `https://example.org/${'é'.repeat(500)}`,
      tooLong('URL da imagem', '2.048'),
    ],
    ['phone', '1'.repeat(31), tooLong('telefone', '30')],
    ['require_email_verification', 'true', [noBoolean]],
    ['require_email_verification', 1, [noBoolean]],
    ['group_ids', UNKNOWN_ID, [groupsList]],
    ['group_ids', ['grupo-1'], [groupIds]],
    ['group_ids', [null], [groupIds]],
    ['group_ids', Array(101).fill(''), ['Informe no máximo 100 grupos.']],
  ])('rejects %s %j, as updateInformerBody does', (field, value, messages) => {
    const errorsOf = (schema: typeof createInformerBody | typeof updateInformerBody) => {
      const { error } = schema.safeParse({ first_name: 'João', [field]: value })
      return error && fieldErrors(error)
    }
    expect(errorsOf(createInformerBody)).toEqual({ [field]: messages })
    if (field in updateInformerBody.shape && value !== undefined) {
      expect(errorsOf(updateInformerBody)).toEqual({ [field]: messages })
    }
  })

  it.each([
    ['first_name', 'é'.repeat(100), 'é'.repeat(100)],
    ['first_name', '😀'.repeat(100), '😀'.repeat(100)],
    ['first_name', 'e\u0301'.repeat(50), 'é'.repeat(50)],
    ['first_name', 'शर्\u200dमा', 'शर्\u200dमा'],
    ['first_name', '\u202e \u200bAna\u2066 Cla\u00adra\ufeff \u{e0041}', 'Ana Clara'],
    ['first_name', 'Joa\u200b\u0303o', 'João'],
    ['first_name', '\u200b'.repeat(500) + 'x'.repeat(100), 'x'.repeat(100)],
    ['last_name', '', null],
    ['last_name', '\u2800\u3164', null],
    ['last_name', 'x'.repeat(150), 'x'.repeat(150)],
    ['phone', '', null],
    ['email', null, null],
    ['email', ' Maria@Exa\u200bmple.org\u2060', 'maria@example.org'],
    ['email', "o'neil+tag@sub.example.org", "o'neil+tag@sub.example.org"],
    ['email', 'maria&jose@example.org', 'maria&jose@example.org'],
    ['email', 'x@exemplo.xn--p1ai', 'x@exemplo.xn--p1ai'],
    ['email', `x@${'a'.repeat(63)}.org`, `x@${'a'.repeat(63)}.org`],
    ['cpf', '00000000191', '00000000191'],
    ['group_ids', null, null],
    ['group_ids', [], []],
    ['group_ids', Array(100).fill(` ${UNKNOWN_ID.toUpperCase()} `), [UNKNOWN_ID]],
    ['img_url', ' HTTPS://Example.org', 'https://example.org/'],
    ['img_url', 'http://example.org:80/a/../b?c#d', 'http://example.org/b?c#d'],
    [
      'img_url',
      'https://example.org/á\u200b <a>',
      'https://example.org/%C3%A1%20%3Ca%3E',
    ],
    ['password', 'Éé1___', 'Éé1___'],
    ['password', 'Senha\u200b2026\u0001', 'Senha\u200b2026\u0001'],
    ['password', `Aa1${'😀'.repeat(125)}`, `Aa1${'😀'.repeat(125)}`],
    ['require_email_verification', null, null],
  ])('accepts %s %j', (field, value, parsed) => {
    expect(createInformerBody.parse({ first_name: 'João', [field]: value })).toEqual({
      first_name: 'João',
      [field]: parsed,
    })
  })
})

it('updateInformerBody has no use for fields that only a creation has', () => {
  const { error } = updateInformerBody.safeParse({
    group_id: UNKNOWN_ID,
    require_email_verification: true,
  })
  expect(error && fieldErrors(error)).toEqual({ body: ['Informe ao menos um campo.'] })
})
