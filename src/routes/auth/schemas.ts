import * as z from 'zod/mini'
import { code, codeText, currentPassword } from '#http/authentication/proof.ts'
import {
  crossFieldRule,
  notEmpty,
  stringField,
  trimmedText,
} from '#http/request/fields.ts'
import { email, password, submittedPassword } from '#http/request/person-fields.ts'

const hasField = (field: 'email' | 'cpf') => ({
  type: 'object',
  properties: { [field]: { type: 'string', minLength: 1 } },
  required: [field],
})

/** The body of POST /auth/login. */
export const loginBody = z
  .object({
    email: z.nullish(
      trimmedText('email', 254).check(
        z.toLowerCase(),
        z.describe('Não diferencia maiúsculas de minúsculas.'),
      ),
    ),
    cpf: z.nullish(
      z
        .string('O campo CPF deve ser um texto.')
        .check(z.describe('Os onze dígitos, sem pontos nem traço.')),
    ),
    password: submittedPassword('senha'),
    code: z.nullish(codeText),
  })
  .check(
    crossFieldRule(
      ['email', 'cpf'],
      ({ email, cpf }) => Boolean(email) || Boolean(cpf),
      'Informe o email ou o CPF.',
      'email',
    ),
    z.meta({ anyOf: [hasField('email'), hasField('cpf')] }),
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
const token = stringField('token').check(
  z.trim(),
  ...notEmpty('token'),
  z.describe('O token do link enviado por email.'),
)

/** The body of POST /auth/email/resend and POST /auth/password/forgot. */
export const emailBody = z.object({ email })

/** The body of POST /auth/email/verify. */
export const verifyEmailBody = z.object({ token, password: z.nullish(password) })

/** The body of POST /auth/password/reset. */
export const resetPasswordBody = z.object({ token, password })
