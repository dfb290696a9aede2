import type { HTTPRequest } from 'puppeteer-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CHROMIUM, describeIn, visitor } from './browser.ts'
import { demoService } from './demo-service.ts'

const PASSWORDS = { password: 'Senha2027', repeated: 'Senha2027' }

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
  'no connection': [UNREACHABLE, 0, ''],
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

/** The pages that have a form, and what is filled in there. */
const FORMS = {
  'sets a password': ['/redefinir-senha#token=x', PASSWORDS],
  'confirms an email': ['/confirmar-email#token=x', {}],
  'asks for a link': ['/redefinir-senha', { email: 'ana@example.org' }],
} as const

await describeIn(CHROMIUM, 'the pages of emailed links', (page) => {
  const service = demoService()
  const visit = visitor(page, CHROMIUM)
  let respond: (request: HTTPRequest) => Promise<void>

  beforeAll(async () => {
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      if (request.method() === 'POST') void respond(request)
      else void request.continue()
    })
  })
  beforeEach(() => {
    respond = (request) => request.continue()
  })

  function respondWith(status: number, body: string) {
    const contentType = 'application/json'
    respond = (request) =>
      status ? request.respond({ status, contentType, body }) : request.abort()
  }

  const addressOf = (path: string) => new URL(path, service.baseUrl).href

  async function openForm(name: keyof typeof FORMS) {
    const [path, fields] = FORMS[name]
    await visit.open(addressOf(path))
    await visit.fill(fields)
  }

  describe('in a form', () => {
    beforeAll(() => openForm('sets a password')) // it stays open, and filled in

    it.each(Object.entries(RESPONSES))(
      'say in their own words, once, what %s means',
      async (_, [words, status, body]) => {
        respondWith(status, body)
        await visit.submit()
        await visit.awaitFocus(words)
        const shown = await visit.text()
        expect(shown.split(words)).toHaveLength(2)
        expect(shown).not.toMatch(INTERNAL)
        const live = await page.$$('[role=alert], [role=status]')
        expect(live).toEqual([])
      },
    )
  })

  describe.each(Object.keys(FORMS) as (keyof typeof FORMS)[])(
    'in the form that %s',
    (form) => {
      it('are accessible with a problem', async () => {
        await openForm(form)
        respondWith(500, failure('Erro interno do servidor.'))
        await visit.submit()
        await visit.expectFocus(FAILED)
      })

      it('send once, give up after 20 seconds, and say that it may have worked', async () => {
        let sent = 0
        respond = async () => {
          sent += 1
        }
        await openForm(form)
        const button = await visit.button()
        await page.evaluate('setTimeout = (work, ms) => { timer = { work, ms } }')

        await visit.submit()
        await visit.submit() // again, in impatience
        expect(await visit.button()).toBe('Aguarde…')
        expect(await page.evaluate('timer.ms')).toBe(20_000)

        await page.evaluate('timer.work()')
        await expect.poll(visit.text).toContain(LATE)
        expect(sent).toBe(1)
        expect(await visit.button()).toBe(button)
      })
    },
  )

  it('pass on what the service says of a field, before the rules and once', async () => {
    const error = 'A senha contém caracteres inválidos.'
    respondWith(422, invalid({ password: [error] }))
    await openForm('sets a password')
    await visit.submit()
    await visit.expectFocus('password')

    const client = await page.createCDPSession()
    const { nodes } = await client.send('Accessibility.getFullAXTree')
    const { description } = nodes.find((node) => node.role?.value === 'textbox') ?? {}
    expect(description?.value).toMatch(/^A senha contém .+ Ela precisa ter:/)
    expect((await visit.text()).split(error)).toHaveLength(2)
  })

  it('say an error of the field that has the focus already', async () => {
    await openForm('sets a password')
    await visit.fill({ password: 'x' })
    await page.evaluate(`
      let said = 0
      document.activeElement.addEventListener('focus', () => said++)`)

    await page.keyboard.press('Enter')
    await visit.expectFocus('password')
    expect(await page.evaluate('said')).toBe(1)
  })

  it('say on a reload that the link of the email still works', async () => {
    await openForm('sets a password')
    for (let time = 0; time < 2; time += 1) {
      await page.reload()
      await visit.awaitFocus('Abra o link outra vez')
      expect(await visit.text()).toContain('O da mensagem continua valendo')
    }
    await visit.expectAccessible()
  })

  it('do not say so of a link that is not valid', async () => {
    await openForm('sets a password')
    await visit.submit()
    await visit.expectFocus('O link de redefinição é inválido ou expirou.')

    await page.reload()
    expect(await visit.heading()).toBe('Redefinir a senha')
    expect(await visit.text()).not.toContain('recarregada')
  })

  it.each([
    ['%23token=', 'a_-b', '.'],
    ['%23token%3D', 'c', '%0D%0A%E2%80%A8%3E'],
    ['?%23token=', 'd', ''],
    ['?utm=1&token=', 'e', ')'],
    ['#token%3D', 'f', ','],
    ['#token=', 'g', '.)'],
  ])('find a token after %s: %s, without %s', async (begin, token, end) => {
    const address = addressOf('/confirmar-email')
    await visit.open(address + begin + token + end)
    expect(page.url()).toBe(address)

    const sent = page.waitForRequest(addressOf('/v1/auth/email/verify'))
    await visit.submit()
    expect((await sent).postData()).toBe(`{"token":"${token}"}`)
  })

  it('are accessible at an address that does not exist', async () => {
    await visit.open(addressOf('/redefinir-senhas'))
    expect(await visit.heading()).toBe('Página não encontrada')
    await visit.expectAccessible()
  })

  it.each([
    ['is disabled', () => page.setJavaScriptEnabled(false)],
    ['fails', () => page.evaluateOnNewDocument('history.replaceState = undefined')],
  ])('say what to do if the script %s', async (_, breakScript) => {
    await breakScript()
    await visit.open(addressOf('/redefinir-senha#token=x'))
    const shown = await page.$$('#without-script:not([hidden]), form:not([hidden])')
    expect(shown).toHaveLength(1)
    await page.setJavaScriptEnabled(true)
  })
})
