import * as z from 'zod/mini'
import {
  crossFieldRule,
  documented,
  notEmptyString,
  overwrite,
  stringField,
  trimmedText,
} from '#http/request/fields.ts'
import { email, password } from '#http/request/person-fields.ts'

const hasField = (field: 'email' | 'cpf') => ({
  type: 'object',
  properties: { [field]: { type: 'string', minLength: 1 } },
  required: [field],
})

const withoutSpaces = overwrite((value: string) => value.replace(/\s/g, ''))

const CODE = { description: 'Os seis dígitos do segundo fator, onde há um.' }

/** A code of the second factor. Spaces in it are ignored. */
export const codeText = documented(stringField('código').check(withoutSpaces), CODE)

const code = documented(notEmptyString('código', withoutSpaces), CODE)

export const currentPassword = notEmptyString('senha atual')

/** The body of POST /auth/login. */
export const loginBody = documented(
  z
    .object({
      email: z.nullish(
        documented(
          trimmedText(
            'email',
            254,
            overwrite((value) => value.toLowerCase()),
          ),
          { description: 'Não diferencia maiúsculas de minúsculas.' },
        ),
      ),
      cpf: z.nullish(
        documented(z.string('O campo CPF deve ser um texto.'), {
          description: 'Os onze dígitos, sem pontos nem traço.',
        }),
      ),
      password: notEmptyString('senha'),
      code: z.nullish(codeText),
    })
    .check(
      crossFieldRule(
        ['email', 'cpf'],
        ({ email, cpf }) => Boolean(email) || Boolean(cpf),
        'Informe o email ou o CPF.',
        'email',
      ),
    ),
  { anyOf: [hasField('email'), hasField('cpf')] },
)

/** The body of PUT /auth/password. */
export const changePasswordBody = z.object({
  current_password: currentPassword,
  password,
})

/** The body of POST /auth/second-factor. */
export const newSecondFactorBody = z.object({
  current_password: currentPassword,
})

/** The body of PUT /auth/second-factor. */
export const enableSecondFactorBody = z.object({ code })

/** The body of DELETE /auth/second-factor. */
export const disableSecondFactorBody = z.object({
  current_password: currentPassword,
  code,
})

/** The token of an emailed link: any text. The database decides whether it is valid. */
const token = documented(
  notEmptyString(
    'token',
    overwrite((value) => value.trim()),
  ),
  { description: 'O do link enviado por email.' },
)

/** The body of POST /auth/email/resend and POST /auth/password/forgot. */
export const emailBody = z.object({ email })

/** The body of POST /auth/email/verify. */
export const verifyEmailBody = z.object({ token, password: z.nullish(password) })

/** The body of POST /auth/password/reset. */
export const resetPasswordBody = z.object({ token, password })
