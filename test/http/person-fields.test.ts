import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { newEmail } from '../support/emails.ts'
import { PASSWORD } from '../support/helper.ts'
import { send } from '../support/processes.ts'
import { newPath, newText, pathOf, resources, stored } from '../support/resources.ts'
import { optionalText, requiredText } from '#http/request/fields.ts'
import {
  cpf,
  email,
  firstName,
  imageUrl,
  lastName,
  password,
  phone,
} from '#http/request/person-fields.ts'
import { fieldErrors } from '#http/request/validation.ts'
import {
  createAdministratorBody,
  updateAdministratorBody,
} from '#routes/administrators/schemas.ts'
import {
  changePasswordBody,
  resetPasswordBody,
  verifyEmailBody,
} from '#routes/auth/schemas.ts'
import { createInformerBody, updateInformerBody } from '#routes/informers/schemas.ts'

/** Every invisible format character of Unicode. */
const FORMAT_CHARACTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{Cf}/u.test(character))

const JOINERS = ['\u200c', '\u200d']
/** Such as U+202E, U+200B, U+2066, U+FEFF, U+00AD and tags, which turn, hide or part a text. */
const TAKEN_OUT = FORMAT_CHARACTERS.filter((character) => !JOINERS.includes(character))

const messagesOf = (schema: z.ZodMiniType, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)

describe('an invisible format character', () => {
  it('is taken out of a text, wherever it is', () => {
    for (const character of TAKEN_OUT) {
      const sent = `${character} ${character}Ana${character} Cla${character}ra ${character}`
      expect(firstName.parse(sent)).toBe('Ana Clara')
      expect(lastName.parse(sent)).toBe('Ana Clara')
      expect(phone.parse(`+55${character} 61`)).toBe('+55 61')
      expect(email.parse(`ana${character}@example.org${character}`)).toBe(
        'ana@example.org',
      )
      expect(imageUrl.parse(`https://example.org/a${character}.png`)).toBe(
        'https://example.org/a.png',
      )
    }
  })

  it('is none in any text that is stored', () => {
    const anyText = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...TAKEN_OUT, ' ', '\u0301', 'a', 'ç'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 30,
    })
    fc.assert(
      fc.property(anyText, (sent) => {
        for (const schema of [requiredText('nome', 100), optionalText('nome', 100)]) {
          const { data } = schema.safeParse(sent)
          if (typeof data !== 'string') continue
          expect(TAKEN_OUT.some((character) => data.includes(character))).toBe(false)
          expect(data).toBe(data.trim().normalize('NFC'))
          expect(schema.parse(data)).toBe(data)
        }
      }),
    )
  })

  it('that joins letters is kept', () => {
    for (const joiner of JOINERS) {
      expect(firstName.parse(`नू${joiner}न`)).toBe(`नू${joiner}न`)
    }
    expect(firstName.parse('👩‍🌾')).toBe('👩‍🌾')
  })

  it('is nothing by itself', () => {
    for (const character of FORMAT_CHARACTERS) {
      expect(messagesOf(firstName, ` ${character}`)).toEqual([
        'O campo nome é obrigatório.',
      ])
      expect(lastName.parse(` ${character}`)).toBeNull()
      expect(messagesOf(email, character)).toEqual([
        'O email deve ter um formato válido.',
      ])
    }
  })

  it('lets a letter and its accent be one', () => {
    expect(firstName.parse('Joa\u200b\u0303o')).toBe('João')
  })

  it('does not count for the length, nor take a CPF or password apart', () => {
    expect(messagesOf(firstName, '\u200b'.repeat(500) + 'x'.repeat(100))).toEqual([])
    expect(messagesOf(cpf, '529982247\u200b25')).toEqual([
      'O CPF deve conter exatamente 11 dígitos numéricos.',
    ])
    expect(password.parse('Senha\u200b2026')).toBe('Senha\u200b2026')
  })
})

it.each(resources)(
  'POST and PATCH of $path store no invisible format character, and find what is taken without them',
  async (resource) => {
    const { newBody, unique, taken } = resource
    const to = await newPath(resource)
    const value = unique === 'email' ? newEmail : newText
    const spoil = (text: string) => `\u202e${text.slice(0, 8)}\u200b${text.slice(8)}`
    const [first, second] = [value(), value()]
    const bodyWith = (text: string) => ({ ...newBody(), [unique]: text })

    expect((await send('POST', to, bodyWith(spoil(first)))).status).toBe(201)
    const row = await stored(resource, first)
    expect(row?.[unique]).toBe(first)
    const again = await send('POST', to, bodyWith(first))
    expect([again.status, again.body.errors]).toEqual([422, { [unique]: [taken] }])

    const body = { [unique]: spoil(second) }
    expect((await send('PATCH', pathOf(resource, row?.id), body)).status).toBe(200)
    expect((await stored(resource, second))?.id).toBe(row?.id)
  },
)

const INVALID = 'A senha contém caracteres inválidos.'

/** What bodies with a password require beside it. */
const OTHER_FIELDS = {
  first_name: 'Rita',
  email: newEmail(),
  current_password: PASSWORD,
  token: 'x',
}

describe('a password with U+0000 or a lone surrogate', () => {
  it.each([
    ['Senha2026\0', [INVALID]],
    ['\0Senha2026', [INVALID]],
    ['Sen\0ha2026', [INVALID]],
    ['Senha2026\ud800', [INVALID]],
    ['Senha2026\udfff', [INVALID]],
    [
      'Senha\udc00\ud800',
      [
        'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
        INVALID,
      ],
    ],
    [
      '\0',
      [
        'A senha deve ter pelo menos 6 caracteres.',
        'A senha deve conter pelo menos uma letra maiúscula, uma letra minúscula e um número.',
        INVALID,
      ],
    ],
    ['Senha2026😀', []],
    ['Senha2026\u0001', []],
    ['Senha2026\u200b', []],
  ])('%j has the errors %j', (value, expected) => {
    expect(messagesOf(password, value)).toEqual(expected)
  })

  it.each(
    Object.entries({
      createInformerBody,
      updateInformerBody,
      createAdministratorBody,
      updateAdministratorBody,
      changePasswordBody,
      verifyEmailBody,
      resetPasswordBody,
    }),
  )('is refused by %s', (_, schema) => {
    for (const bad of ['Senha2026\0', 'Senha2026\ud800']) {
      const { error } = schema.safeParse({ ...OTHER_FIELDS, password: bad })
      expect(error && fieldErrors(error)).toEqual({ password: [INVALID] })
    }
  })
})

it.each([
  ['HTTPS://Example.org', 'https://example.org/'],
  ['https://example.org/<a>.png', 'https://example.org/%3Ca%3E.png'],
  ['http://example.org:80/a/../b?c#d', 'http://example.org/b?c#d'],
  [' https://example.org/a b.png?c d#e f ', 'https://example.org/a%20b.png?c%20d#e%20f'],
  ['https://example.org/a\u00a0b', 'https://example.org/a%C2%A0b'],
])('the image URL %s is kept as the URL standard writes it', (sent, kept) => {
  expect(imageUrl.parse(sent)).toBe(kept)
})

it.each([
  'https://a b.example.org/',
  'https:// ',
  'https://ana maria@example.org/',
  'https://example.org/a\tb',
  'https://example.org/a\nb',
  'https://example.org/a\u2028b',
  'https://example.org/\0',
])('the image URL %j is refused', (sent) => {
  expect(imageUrl.safeParse(sent).success).toBe(false)
})
