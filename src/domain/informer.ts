import * as z from 'zod/mini'
import { isCpf } from './cpf.ts'
import { atMost, blankableText, optional, requiredText, text } from './fields.ts'

const MIN_PASSWORD = 6
const MAX_PASSWORD = 128
const CPF_FORM = 'O CPF deve conter exatamente 11 dígitos numéricos.'
const GROUP = 'O grupo selecionado é inválido.'

/** The texts for what only the database can judge: uniqueness and references. */
export const CONSTRAINT_MESSAGES = {
  email: 'Este email já está cadastrado no sistema.',
  cpf: 'Este CPF já está cadastrado no sistema.',
  treatment_pronoun_id: 'O pronome de tratamento selecionado é inválido.',
  category_id: 'A categoria selecionada é inválida.',
  diocese_id: 'A diocese selecionada é inválida.',
  group_id: GROUP,
} as const

export const firstName = requiredText('nome', 100)
export const lastName = blankableText('sobrenome', 150)
export const phone = blankableText('telefone', 30)

/** A dot-atom of at most 64 characters (RFC 5322, 3.2.3; RFC 5321, 4.5.3.1), and a domain with a dot. */
const EMAIL =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/i

/** Stored in lower case and so compared without case. */
export const email = text('email', 254).check(
  z.refine((value) => EMAIL.test(value), 'O email deve ter um formato válido.'),
  z.meta({ format: 'email' }), // a pattern in JSON Schema would know upper and lower case apart
  z.toLowerCase(),
)

/** Taken as sent. */
export const cpf = z
  .string(CPF_FORM)
  .check(
    z.regex(/^[0-9]{11}$/, { error: CPF_FORM, abort: true }),
    z.refine(isCpf, 'O CPF informado é inválido.'),
  )

export const PASSWORD_REQUIRED = 'O campo senha é obrigatório.'

const PASSWORD_CLASSES =
  'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.'

/** Taken as sent. */
export const password = z.string('O campo senha deve ser um texto.').check(
  z.refine((value) => [...value].length >= MIN_PASSWORD, 'A senha deve ter pelo menos 6 caracteres.'),
  z.meta({ minLength: MIN_PASSWORD }),
  z.refine(
    (value) => /\p{Lu}/u.test(value) && /\p{Ll}/u.test(value) && /[0-9]/.test(value),
    PASSWORD_CLASSES,
  ),
  z.meta({ format: 'password', description: PASSWORD_CLASSES }), // \p{Lu} is no pattern that every client reads
  ...atMost(MAX_PASSWORD, `A senha deve ter no máximo ${MAX_PASSWORD} caracteres.`),
)

const IMAGE_URL = 'A URL da imagem deve ser válida.'

/** Without a flag, which a pattern in JSON Schema would lose. */
const imageUrl = text('URL da imagem', 2048).check(
  z.regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/, { error: IMAGE_URL, abort: true }),
  z.refine((value) => URL.canParse(value), IMAGE_URL),
)

const reference = (message: string) => z.int(message).check(z.positive(message))

/** The body of POST /informers (specification, 4.3; contract, section 4). Unknown fields are ignored. */
export const createInformerBody = z
  .object({
    first_name: firstName,
    last_name: optional(lastName),
    email: optional(email),
    password: optional(password),
    treatment_pronoun_id: optional(reference(CONSTRAINT_MESSAGES.treatment_pronoun_id)),
    phone: optional(phone),
    category_id: optional(reference(CONSTRAINT_MESSAGES.category_id)),
    diocese_id: optional(reference(CONSTRAINT_MESSAGES.diocese_id)),
    cpf: optional(cpf),
    group_id: optional(z.string(GROUP).check(z.trim(), z.toLowerCase(), z.regex(z.regexes.guid, GROUP))),
    img_url: optional(imageUrl),
    require_email_verification: optional(
      z.boolean('O campo verificação de email deve ser verdadeiro ou falso.'),
    ),
  })
  .check(
    z.refine((informer) => informer.require_email_verification !== true || informer.email != null, {
      path: ['email'],
      error: 'O email é obrigatório quando a verificação de email é exigida.',
      when: () => true, // also beside other errors
    }),
  )
