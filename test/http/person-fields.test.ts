import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { newEmail, newUnverified, sendTo, tokenIn } from '../support/emails.ts'
import {
  administratorToken,
  type Call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
} from '../support/helper.ts'
import { newPath, newText, pathOf, resources, stored } from '../support/resources.ts'
import { storedUser } from '../support/users.ts'
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

/** Every invisible format character of Unicode. */
const FORMAT_CHARACTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{Cf}/u.test(character))

const JOINERS = ['\u200c', '\u200d']
const TAKEN_OUT = FORMAT_CHARACTERS.filter((character) => !JOINERS.includes(character))

const messagesOf = (schema: z.ZodMiniType, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)

describe('an invisible format character', () => {
  it('is one of those that turn, hide or part a text', () => {
    for (const character of [
      '\u202e',
      '\u200b',
      '\u2066',
      '\ufeff',
      '\u00ad',
      '\u{e0061}',
    ]) {
      expect(TAKEN_OUT).toContain(character)
    }
  })

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

describe.each(resources)('POST /v1$path with invisible format characters', (resource) => {
  const { newBody, unique } = resource
  const value = unique === 'email' ? newEmail : newText
  const spoiled = (text: string) => `\u202e${text.slice(0, 8)}\u200b${text.slice(8)}`

  it('stores none of them, and finds what is taken without them', async () => {
    const token = await administratorToken()
    const to = await newPath(resource)
    const text = value()
    const body = { ...newBody(), [unique]: spoiled(text) }
    expect((await callJson(to, { token, body })).status).toBe(201)
    const row = await stored(resource, text)
    expect(row?.[unique]).toBe(text)

    const again = await callJson(to, { token, body: { ...newBody(), [unique]: text } })
    expect([again.status, again.body.errors]).toEqual([
      422,
      { [unique]: [resource.taken] },
    ])
  })

  it('stores none of them by PATCH', async () => {
    const token = await administratorToken()
    const first = value()
    await callJson(await newPath(resource), {
      token,
      body: { ...newBody(), [unique]: first },
    })
    const text = value()
    const row = await stored(resource, first)
    const body = { [unique]: spoiled(text) }
    const to = pathOf(resource, row?.id)
    expect((await callJson(to, { method: 'PATCH', token, body })).status).toBe(200)
    expect((await stored(resource, text))?.id).toBe(row?.id)
  })
})

it('the name of an actor has no invisible characters', async () => {
  const administrator = await newUser('administrator')
  const path = `/administrators/${administrator.id}`
  const body = { first_name: '\u202eatiR', last_name: '\u200b' }
  const token = await tokenFor(administrator)
  expect((await callJson(path, { method: 'PATCH', token, body })).status).toBe(200)

  const events = await callJson(`/audit-events?actor_id=${administrator.id}`, { token })
  expect(events.body.data).toMatchObject([{ actor_name: 'atiR' }])
})

const INVALID = 'A senha contém caracteres inválidos.'

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

  type Route = (bad: string) => Promise<{ path: string; call: Call; id?: string }>

  const asAdministrator = async (method: string, path: string, body: object) => ({
    path,
    call: { method, token: await administratorToken(), body },
  })

  const ROUTES: Record<string, Route> = {
    'POST /v1/informers': (bad) =>
      asAdministrator('POST', '/informers', { first_name: 'Rita', password: bad }),
    'POST /v1/administrators': (bad) =>
      asAdministrator('POST', '/administrators', {
        first_name: 'Rita',
        email: newEmail(),
        password: bad,
      }),
    'PATCH /v1/informers/{informer}': async (bad) => {
      const { id } = await newLogin()
      return {
        ...(await asAdministrator('PATCH', `/informers/${id}`, { password: bad })),
        id,
      }
    },
    'PATCH /v1/administrators/{administrator}': async (bad) => {
      const { id } = await newLogin({ role: 'administrator' })
      return {
        ...(await asAdministrator('PATCH', `/administrators/${id}`, { password: bad })),
        id,
      }
    },
    'PUT /v1/auth/password': async (bad) => {
      const user = await newLogin()
      const body = { current_password: PASSWORD, password: bad }
      return {
        path: '/auth/password',
        call: { method: 'PUT', token: await tokenFor(user), body },
        id: user.id,
      }
    },
    'POST /v1/auth/email/verify': async (bad) => {
      const { id, token } = await newUnverified()
      return { path: '/auth/email/verify', call: { body: { token, password: bad } }, id }
    },
    'POST /v1/auth/password/reset': async (bad) => {
      const { id, email } = await newLogin()
      await callJson('/auth/password/forgot', { body: { email } })
      const token = tokenIn((await sendTo(email))[0])
      return {
        path: '/auth/password/reset',
        call: { body: { token, password: bad } },
        id,
      }
    },
  }

  it.each(Object.entries(ROUTES))('is refused at %s', async (_, newRequest) => {
    for (const bad of ['Senha2026\0', 'Senha2026\ud800']) {
      const { path, call, id = '' } = await newRequest(bad)
      const before = await storedUser(id)
      const { status, body } = await callJson(path, call)
      expect([status, body.errors]).toEqual([422, { password: [INVALID] }])
      expect(await storedUser(id)).toEqual(before)
    }
  })
})

it.each([
  ['HTTPS://Example.org', 'https://example.org/'],
  ['https://example.org/<a>.png', 'https://example.org/%3Ca%3E.png'],
  ['http://example.org:80/a/../b?c#d', 'http://example.org/b?c#d'],
])('the image URL %s is kept as the URL standard writes it', (sent, kept) => {
  expect(imageUrl.parse(sent)).toBe(kept)
})
