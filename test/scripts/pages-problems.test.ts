import { existsSync } from 'node:fs'
import type { HTTPRequest } from 'puppeteer-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, visitor } from './browser.ts'
import { demoService } from './demo-service.ts'

const UNREACHABLE =
  'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.'
const FAILED =
  'Algo não funcionou do nosso lado. Espere alguns minutos e tente de novo; ' +
  'se continuar assim, peça ajuda a quem fez o seu cadastro.'
const LIMITED = 'Muitas tentativas. Tente novamente em instantes.'

const failure = (message: string) => JSON.stringify({ success: false, message })
const invalid = (errors: unknown) =>
  JSON.stringify({ message: 'Os dados fornecidos são inválidos.', errors })

type AccessibilityNode = Partial<Record<'name' | 'description', { value: string }>>

describe.skipIf(!existsSync(CHROMIUM))('where the service fails, in Chromium', () => {
  const service = demoService()
  const visit = visitor()
  let respond: (request: HTTPRequest) => Promise<void>

  beforeAll(async () => {
    await visit.page.setRequestInterception(true)
    visit.page.on('request', (request) =>
      request.method() === 'POST' ? respond(request) : request.continue(),
    )
  })
  afterEach(() => expect(visit.text()).resolves.not.toMatch(/Erro interno|Os dados|Aguarde/))

  /** Opens one of the forms, filled in. */
  const forms = {
    'sets a password': async () => {
      await visit.open(service.baseUrl.replace('/v1', '/redefinir-senha#token=x'))
      await visit.fill({ password: 'Senha2027', repeated: 'Senha2027' })
    },
    'confirms an email': () =>
      visit.open(service.baseUrl.replace('/v1', '/confirmar-email#token=x')),
    'asks for a link': async () => {
      await visit.open(service.baseUrl.replace('/v1', '/redefinir-senha'))
      await visit.fill({ email: 'ana@example.org' })
    },
  }

  describe.each(Object.entries(forms))('the form that %s', (_, openForm) => {
    it.each([
      ['a fault of the service', FAILED, 500, failure('Erro interno do servidor.')],
      ['no database', FAILED, 503, failure('Serviço temporariamente indisponível.')],
      ['a body too large', FAILED, 413, failure('O corpo da requisição é grande demais.')],
      ['an error of no field there', FAILED, 422, invalid({ body: ['x'] })],
      ['a limit of the service', LIMITED, 429, failure(LIMITED)],
      ['a limit of another', UNREACHABLE, 429, '<p>Too many requests</p>'],
      ['a firewall', UNREACHABLE, 403, '{"message":"Forbidden"}'],
      ['a 422 of another', UNREACHABLE, 422, failure('Unprocessable')],
      ['an empty object', UNREACHABLE, 500, '{}'],
      ['an empty success', UNREACHABLE, 200, '{}'],
      ['a success without a message', UNREACHABLE, 200, '{"success":true}'],
      ['null', UNREACHABLE, 200, 'null'],
      ['a page', UNREACHABLE, 200, '<!doctype html><title>Wi-Fi</title>'],
    ])('says in its own words, once, what %s means', async (_, words, status, body) => {
      respond = (request) => request.respond({ status, contentType: 'application/json', body })
      await openForm()
      await visit.submit()
      await visit.expectFocus(words)
      expect((await visit.text()).split(words)).toHaveLength(2)
      expect(await visit.page.$$('[role=alert], [role=status]')).toEqual([])
    })

    it('gives up after 20 seconds, and says that it may have worked', async () => {
      let sent = 0
      respond = async () => {
        sent += 1
      }
      await openForm()
      const button = await visit.button()
      // 20 seconds pass in one
      await visit.page.evaluate(
        '{ const wait = setTimeout; setTimeout = (f, ms) => wait(f, ms / 20) }',
      )
      const started = Date.now()
      await visit.submit()
      await visit.submit() // again, in impatience
      await expect
        .poll(visit.text, { timeout: 10_000 })
        .toContain('mas o pedido pode ter dado certo.')
      expect(Date.now() - started).toBeGreaterThan(990)
      expect([sent, await visit.button()]).toEqual([1, button])
    })
  })

  it('passes on what the service says of a field, before the rules and once', async () => {
    const error = 'A senha contém caracteres inválidos.'
    const body = invalid({ password: [error] })
    respond = (request) => request.respond({ status: 422, contentType: 'application/json', body })
    await forms['sets a password']()
    await visit.submit()
    await visit.expectFocus('password')
    const client = await visit.page.createCDPSession()
    const { nodes } = await client.send('Accessibility.getFullAXTree')
    const field = (nodes as AccessibilityNode[]).find(
      ({ name, description }) => name?.value === 'Escolha uma senha' && description,
    )
    const description = field?.description?.value ?? ''
    expect(description).toMatch(
      /^A senha contém caracteres inválidos\. A senha que você .+ Ela precisa ter:/,
    )
    expect(description.split(error)).toHaveLength(2)
    expect((await visit.text()).split(error)).toHaveLength(2)
  })

  it('says an error of the field that has the focus already', async () => {
    await forms['sets a password']()
    await visit.fill({ password: 'x' })
    await visit.page.evaluate(
      "let said = 0; document.querySelector('#password').addEventListener('focus', () => said++)",
    )
    await visit.page.keyboard.press('Enter')
    await visit.expectFocus('password')
    expect(await visit.page.evaluate('said')).toBe(1)
  })
})
