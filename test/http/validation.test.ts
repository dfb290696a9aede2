import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { runs } from '../support/depth.ts'
import { fieldErrors } from '#http/request/validation.ts'
import { loginBody } from '#routes/auth/schemas.ts'
import {
  changelogsQuery,
  createEntryBody,
  publishBody,
  updateEntryBody,
} from '#routes/changelogs/schemas.ts'
import { createInformerBody, updateInformerBody } from '#routes/informers/schemas.ts'

const errorsOf = (schema: z.core.$ZodType, value: unknown) => {
  const { error } = z.safeParse(schema, value)
  return error ? fieldErrors(error) : {}
}

type Body = Record<string, unknown>
/** A rule across fields: the fields, when it fails, and the field of its error. */
type Rule = {
  fields: string[]
  isBroken: (body: Body) => boolean
  blamed: string
  message: string
}

const TEXTS = [
  '',
  ' ',
  '\u200b',
  'a\0b',
  'x'.repeat(11_000),
  ...'abc 1 0 12 Abcdef1 abcdef1 52998224725 52998224724 a@example.org v1.0.0 v1'.split(
    ' ',
  ),
  ...'https://example.org/a.png http:// 2026-01-31 2026-02-01 31/12/2025 Melhoria'.split(
    ' ',
  ),
  '6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11',
]
const values = fc.constantFrom<unknown>(
  ...TEXTS,
  ...[null, 7, 3, -1, true, false, [], ['a'], {}],
)

const atLeastOne = (fields: string[], isSent: (value: unknown) => boolean): Rule => ({
  fields,
  isBroken: (body) => !fields.some((field) => field in body && isSent(body[field])),
  blamed: 'body',
  message: 'Informe ao menos um campo.',
})

/** Something else than spaces and invisible characters, which are taken away. */
const IS_LEFT = /[^\s\p{Cf}]|[\u200C\u200D]/u

const SCHEMAS = {
  createInformerBody,
  updateInformerBody,
  createEntryBody,
  updateEntryBody,
  loginBody,
  publishBody,
  changelogsQuery,
}

const RULES: { [Name in keyof typeof SCHEMAS]?: Rule } = {
  createInformerBody: {
    fields: ['email', 'require_email_verification'],
    isBroken: ({ email, require_email_verification }) =>
      require_email_verification === true && !email,
    blamed: 'email',
    message: 'O email é obrigatório quando a verificação de email é exigida.',
  },
  updateInformerBody: atLeastOne(Object.keys(updateInformerBody.shape), () => true),
  updateEntryBody: atLeastOne(
    Object.keys(updateEntryBody.shape),
    (sent) => sent !== null,
  ),
  loginBody: {
    fields: ['email', 'cpf'],
    isBroken: ({ email, cpf }) => !IS_LEFT.test(String(email ?? '')) && !cpf,
    blamed: 'email',
    message: 'Informe o email ou o CPF.',
  },
  publishBody: {
    fields: [], // only which of the two are sent matters
    isBroken: ({ version, ids }) =>
      ((version ?? null) === null) === ((ids ?? null) === null),
    blamed: 'body',
    message: 'Informe a versão ou os registros.',
  },
  changelogsQuery: {
    fields: ['date_from', 'date_to'],
    isBroken: ({ date_from, date_to }) =>
      Boolean(date_from && date_to && date_from > date_to),
    blamed: 'date_to',
    message: 'O parâmetro date_to deve ser igual ou posterior a date_from.',
  },
}

it.each(Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[])(
  '%s reports exactly the errors of its fields and of its rules between fields',
  (name) => {
    const schema: z.ZodMiniObject = SCHEMAS[name]
    const rule = RULES[name]
    const fields = Object.keys(schema.shape).map((field) => [field, values])
    const anyBody = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    fc.assert(
      fc.property(anyBody, (body: Body) => {
        const expected: Record<string, string[]> = {}
        for (const [field, one] of Object.entries(schema.shape)) {
          const messages = Object.values(errorsOf(one, body[field])).flat()
          if (messages.length > 0) expected[field] = messages
        }
        const areValid = rule?.fields.every((field) => !(field in expected))
        if (rule && areValid && rule.isBroken(body)) {
          expected[rule.blamed] = [...(expected[rule.blamed] ?? []), rule.message]
        }
        expect(errorsOf(schema, body)).toEqual(expected)
      }),
      { numRuns: runs(500) },
    )
  },
)
