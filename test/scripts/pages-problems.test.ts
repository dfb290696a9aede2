import { existsSync } from 'node:fs'
import type { HTTPRequest } from 'puppeteer-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IS_DEEP } from '../support/depth.ts'
import { visitor } from './browser.ts'
import { CHROMIUM } from './chromium.ts'
import { demoService } from './demo-service.ts'

const UNREACHABLE =
  'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.'
const FAILED =
  'Algo não funcionou do nosso lado. Espere alguns minutos e tente de novo; ' +
  'se continuar assim, peça ajuda a quem fez o seu cadastro.'
const LIMITED = 'Muitas tentativas. Tente novamente em instantes.'
const LATE = 'mas o pedido pode ter dado certo.'

/** Texts of the service that are not for people. */
const INTERNAL = /Erro interno|indisponível|corpo da|Os dados|Forbidden/

function failure(message: string): string {
  return JSON.stringify({ success: false, message })
}

function invalid(errors: object): string {
  const message = 'Os dados fornecidos são inválidos.'
  return JSON.stringify({ message, errors })
}

/** By what it is: the words of the page, the status, and the body. */
const RESPONSES: Record<string, [string, number, string]> = {
  'a fault of the service': [FAILED, 500, failure('Erro interno do servidor.')],
  'no database': [FAILED, 503, failure('Serviço temporariamente indisponível.')],
  'a body too large': [FAILED, 413, failure('O corpo da requisição é grande demais.')],
  'an error of no field there': [FAILED, 422, invalid({ body: ['x'] })],
  'a limit of the service': [LIMITED, 429, failure(LIMITED)],
  'a limit of another': [UNREACHABLE, 429, '<p>Too many requests</p>'],
  'a firewall': [UNREACHABLE, 403, '{"message":"Forbidden"}'],
  'a 422 of another': [UNREACHABLE, 422, failure('Unprocessable')],
  'an empty failure': [UNREACHABLE, 500, '{}'],
  'an empty success': [UNREACHABLE, 200, '{}'],
  'a success without words': [UNREACHABLE, 200, '{"success":true}'],
  null: [UNREACHABLE, 200, 'null'],
  'a page': [UNREACHABLE, 200, '<!doctype html><title>Wi-Fi</title>'],
}

/** Responses whose texts axe judges: one of each text, in a deep run all. */
const JUDGED = IS_DEEP
  ? Object.keys(RESPONSES)
  : ['a fault of the service', 'a limit of the service', 'null']

type AccessibilityNode = Partial<Record<'name' | 'description', { value: string }>>

describe.skipIf(!existsSync(CHROMIUM))('where the service fails, in Chromium', () => {
  const service = demoService()
  const visit = visitor()
  let respond: (request: HTTPRequest) => Promise<void>

  beforeAll(async () => {
    const { page } = visit
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      if (request.method() === 'POST') void respond(request)
      else void request.continue()
    })
  })
  afterEach(async () => {
    const text = await visit.text()
    expect(text).not.toMatch(INTERNAL)
    expect(text).not.toContain('Aguarde')
  })

  function respondWith(status: number, body: string) {
    const contentType = 'application/json'
    respond = (request) => request.respond({ status, contentType, body })
  }

  const PASSWORDS = { password: 'Senha2027', repeated: 'Senha2027' }
  const open = (path: string) => {
    return visit.open(service.baseUrl.replace('/v1', path))
  }

  /** Opens a form, filled in. */
  const forms = {
    async 'sets a password'() {
      await open('/redefinir-senha#token=x')
      await visit.fill(PASSWORDS)
    },
    async 'confirms an email'() {
      await open('/confirmar-email#token=x')
    },
    async 'asks for a link'() {
      await open('/redefinir-senha')
      await visit.fill({ email: 'ana@example.org' })
    },
  }

  describe.each(Object.entries(forms))('the form that %s', (_, openForm) => {
    beforeAll(openForm) // it stays open, and filled in, while requests fail

    /** Submits it, and waits for the words of a response, which are returned. */
    async function submitTo(name: string) {
      const [words = '', status = 0, body = ''] = RESPONSES[name] ?? []
      respondWith(status, body)
      await visit.submit()
      await visit.awaitFocus(words)
      return words
    }

    it.each(Object.keys(RESPONSES))(
      'says in its own words, once, what %s means',
      async (name) => {
        const words = await submitTo(name)
        const shown = await visit.text()
        expect(shown.split(words)).toHaveLength(2)
        const live = await visit.page.$$('[role=alert], [role=status]')
        expect(live).toEqual([])
      },
    )

    it.each(JUDGED)('is accessible with what it says of %s', async (name) => {
      await submitTo(name)
      await visit.expectAccessible()
    })

    it('gives up after 20 seconds, and says that it may have worked', async () => {
      let sent = 0
      respond = async () => {
        sent += 1
      }
      await openForm()
      const button = await visit.button()
      await visit.page.evaluate(`
        const wait = setTimeout
        setTimeout = (work, ms) => wait(work, ms / 100)`)

      const started = Date.now()
      await visit.submit()
      await visit.submit() // again, in impatience
      await expect.poll(visit.text, { timeout: 10_000 }).toContain(LATE)
      expect(Date.now() - started).toBeGreaterThan(190)
      expect(sent).toBe(1)
      expect(await visit.button()).toBe(button)
    })
  })

  it('passes on what the service says of a field, before the rules and once', async () => {
    const error = 'A senha contém caracteres inválidos.'
    respondWith(422, invalid({ password: [error] }))
    await forms['sets a password']()
    await visit.submit()
    await visit.expectFocus('password')

    const client = await visit.page.createCDPSession()
    const { nodes } = await client.send('Accessibility.getFullAXTree')
    const field = (nodes as AccessibilityNode[]).find((node) => {
      return node.description && node.name?.value === 'Escolha uma senha'
    })
    const description = field?.description?.value ?? ''
    expect(description).toMatch(/^A senha contém .+ Ela precisa ter:/)
    expect(description.split(error)).toHaveLength(2)
    expect((await visit.text()).split(error)).toHaveLength(2)
  })

  it('says an error of the field that has the focus already', async () => {
    await forms['sets a password']()
    await visit.fill({ password: 'x' })
    await visit.page.evaluate(`
      let said = 0
      document.activeElement.addEventListener('focus', () => said++)`)

    await visit.page.keyboard.press('Enter')
    await visit.expectFocus('password')
    expect(await visit.page.evaluate('said')).toBe(1)
  })
})
