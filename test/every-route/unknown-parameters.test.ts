import { describe, expect, it } from 'vitest'
import { administratorToken, call, callJson } from '../support/helper.ts'
import { routes } from '../support/routes.ts'
import type { Guard } from '../support/routes/route.ts'

const UNKNOWN = ['Este parâmetro não existe.']

/** The paths of the lists with a guard. */
const listsOf = (guard: Guard) =>
  Object.keys(routes)
    .filter((route) => /^GET [^{]+$/.test(route) && routes[route]?.guard === guard)
    .map((route) => route.replace('GET /v1', ''))

const get = async (path: string) => callJson(path, { token: await administratorToken() })

describe.each(listsOf('admin'))('GET /v1%s', (path) => {
  it.each([
    ['is_conclude=false', 'is_conclude'],
    ['questionnaire_status[]=Pendente', 'questionnaire_status[]'],
    ['PAGE=1', 'PAGE'],
    ['page%20=1', 'page '],
    ['a+b=1', 'a b'],
    ['x', 'x'],
    ['=1', ''],
    ['__proto__=1', '__proto__'],
    ['__proto__=1&__proto__=2', '__proto__'],
    ['constructor=1', 'constructor'],
    ['toString=1&toString=2', 'toString'],
    ['%C3%A7=1&ç=2', 'ç'],
  ])('refuses ?%s, once', async (query, name) => {
    const { status, body } = await get(`${path}?${query}`)
    expect(status).toBe(422)
    expect(Object.entries(body.errors)).toEqual([[name, UNKNOWN]])
  })

  it('refuses it beside all else that is wrong', async () => {
    const { status, body } = await get(`${path}?page=0&per_page=1&per_page=2&foo=1&bar`)
    expect([status, body.errors]).toEqual([
      422,
      {
        page: ['O parâmetro page deve ser um número inteiro a partir de 1.'],
        per_page: ['O parâmetro per_page só pode ser informado uma vez.'],
        foo: UNKNOWN,
        bar: UNKNOWN,
      },
    ])
  })

  it('takes empty parts of a query for none, and refuses HEAD alike', async () => {
    const token = await administratorToken()
    expect((await get(`${path}?&&page=1&`)).status).toBe(200)
    expect((await get(`${path}?`)).status).toBe(200)
    expect((await call(`${path}?foo=1`, { method: 'HEAD', token })).status).toBe(422)
  })

  it('tells nothing to whoever may not read it', async () => {
    expect((await callJson(`${path}?foo=1`)).status).toBe(401)
  })
})

it.each([...listsOf('optional'), ...listsOf('viewer')])(
  'GET /v1%s ignores a parameter that does not exist',
  async (path) => {
    for (const query of ['foo=1', 'foo=1&foo=2', '__proto__=1', '=1']) {
      expect((await callJson(`${path}?${query}`)).status).toBe(200)
      expect((await get(`${path}?${query}`)).status).toBe(200)
    }
  },
)
