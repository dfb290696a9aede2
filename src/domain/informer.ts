import * as z from 'zod/mini'
import { isCpf } from './cpf.ts'
import {
  crossFieldRule,
  optionalText,
  patchOf,
  refineOrStop,
  requiredText,
  text,
  uuid,
} from './fields.ts'
import { password } from './passwords.ts'

const CPF_FORM_MESSAGE = 'O CPF deve conter exatamente 11 dígitos numéricos.'

/** Messages for rules that only the database can check: uniqueness and references. */
export const CONSTRAINT_MESSAGES = {
  email: 'Este email já está cadastrado no sistema.',
  cpf: 'Este CPF já está cadastrado no sistema.',
  treatment_pronoun_id: 'O pronome de tratamento selecionado é inválido.',
  category_id: 'A categoria selecionada é inválida.',
  diocese_id: 'A diocese selecionada é inválida.',
  group_id: 'O grupo selecionado é inválido.',
} as const

export const firstName = requiredText('nome', 100)
export const lastName = optionalText('sobrenome', 150)
export const phone = optionalText('telefone', 30)

/**
 * A dot-atom of at most 64 characters (RFC 5322, 3.2.3; RFC 5321, 4.5.3.1), and a domain of labels of at most 63
 * (RFC 1035, 2.3.4), the last one of letters only or in Punycode (RFC 5890, 2.3.2.1).
 */
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?'
export const EMAIL = new RegExp(
  `^(?=.{1,64}@)[\\w!#$%&'*+/=?^\`{|}~-]+(?:\\.[\\w!#$%&'*+/=?^\`{|}~-]+)*@(?:${LABEL}\\.)+(?:[a-z]{2,63}|(?=xn--)${LABEL})$`,
  'i',
)

/** Stored in lower case, therefore case-insensitive. */
export const email = text('email', 254).check(
  z.refine((value) => EMAIL.test(value), 'O email deve ter um formato válido.'),
  z.meta({ format: 'email' }), // a JSON Schema pattern would be case-sensitive
  z.toLowerCase(),
)

const CPF_DIGITS = /^[0-9]{11}$/

/** Not trimmed. */
export const cpf = z.string(CPF_FORM_MESSAGE).check(
  refineOrStop((value) => CPF_DIGITS.test(value), CPF_FORM_MESSAGE),
  z.meta({ pattern: CPF_DIGITS.source }),
  z.refine(isCpf, 'O CPF informado é inválido.'),
)

const IMAGE_URL_MESSAGE = 'A URL da imagem deve ser válida.'

/** No `i` flag, because JSON Schema patterns have no flags. */
const HTTP_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/

const imageUrl = text('URL da imagem', 2048).check(
  z.refine((value) => HTTP_URL.test(value) && URL.canParse(value), IMAGE_URL_MESSAGE),
  z.meta({ pattern: HTTP_URL.source }),
)

const reference = (message: string) => z.int(message).check(z.positive(message))

/** What everybody has beside a first name and an email. Null removes a value. */
const personFields = {
  last_name: z.nullish(lastName),
  password: z.nullish(password),
  cpf: z.nullish(cpf),
  phone: z.nullish(phone),
  img_url: z.nullish(imageUrl),
}

const informerFields = {
  ...personFields,
  email: z.nullish(email),
  treatment_pronoun_id: z.nullish(reference(CONSTRAINT_MESSAGES.treatment_pronoun_id)),
  category_id: z.nullish(reference(CONSTRAINT_MESSAGES.category_id)),
  diocese_id: z.nullish(reference(CONSTRAINT_MESSAGES.diocese_id)),
}

/** The body of POST /informers. Unknown fields are ignored. */
export const createInformerBody = z
  .object({
    first_name: firstName,
    ...informerFields,
    group_id: z.nullish(uuid(CONSTRAINT_MESSAGES.group_id)),
    require_email_verification: z.nullish(
      z.boolean('O campo verificação de email deve ser verdadeiro ou falso.'),
    ),
  })
  .check(
    crossFieldRule(
      ['email', 'require_email_verification'],
      (informer) => informer.require_email_verification !== true || informer.email != null,
      'O email é obrigatório quando a verificação de email é exigida.',
      'email',
    ),
  )

export type NewInformer = z.output<typeof createInformerBody>

/** The body of PATCH /informers/{informer} (JSON Merge Patch, RFC 7396). */
export const updateInformerBody = patchOf({ first_name: z.optional(firstName), ...informerFields })

export type InformerChanges = z.output<typeof updateInformerBody>

/** The body of POST /administrators: an email is required. */
export const createAdministratorBody = z.object({ first_name: firstName, ...personFields, email })

/** The body of PATCH /administrators/{administrator}. */
export const updateAdministratorBody = patchOf({
  first_name: z.optional(firstName),
  ...personFields,
  email: z.optional(email),
})
