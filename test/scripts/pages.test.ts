import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { CHROMIUM, describeIn, FIREFOX, visitor } from './browser.ts'
import { serveDemo } from './demo-service.ts'
import { TAKE_YOUNGER_AWAY, TRANSLATE } from './preloads.ts'

const PASSWORDS = { password: 'Senha2027', repeated: 'Senha2027' }
const SETTINGS = {
  EMAIL_FROM: 'Chancelaria <nao-responda@example.org>',
  LOGIN_URL: 'https://painel.example.org/entrar',
}

const OLDEST = TAKE_YOUNGER_AWAY + TRANSLATE

await describeIn(
  CHROMIUM,
  'the pages of emailed links, in the oldest Chromium, translated',
  (page) => testPages(page, visitor(page, CHROMIUM, OLDEST)),
)
await describeIn(FIREFOX, 'the pages of emailed links, in Firefox', (page) =>
  testPages(page, visitor(page, FIREFOX)),
)

function testPages(page: Page, visit: ReturnType<typeof visitor>) {
  const tokens: string[] = []
  const requested: string[] = []
  const complaints: string[] = []
  let sent = ''
  let service: Awaited<ReturnType<typeof serveDemo>>
  let origin: string

  /** Sees what a proxy in front of the service would. */
  const proxy = createServer((socket) => {
    socket.on('data', (data) => {
      sent += data
    })
    const port = Number(new URL(service.baseUrl).port)
    socket.pipe(connect(port, '127.0.0.1')).pipe(socket)
  })

  beforeAll(async () => {
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    service = await serveDemo({ PUBLIC_URL: origin, ...SETTINGS })
    page.on('request', (request) => requested.push(request.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => complaints.push(message.text()))
  })
  afterAll(async () => {
    await service?.stop()
    proxy.close()
  })
  // whatever they do, they ask no other host, follow their policy, and show a token to nobody
  afterEach(() => {
    const foreign = requested.filter((url) => {
      return url.startsWith('http') && !url.startsWith(`${origin}/`)
    })
    expect(foreign).toEqual([])
    const errors = complaints
      .splice(0)
      .filter((text) => !text.startsWith('Failed to load'))
    expect(errors).toEqual([])

    const logged = service.logs.join('\n')
    expect(logged).toContain('/v1/auth/')
    for (const token of tokens) {
      expect(sent).toContain(`\r\n\r\n{"token":"${token}"`)
      const elsewhere = sent.replaceAll(`{"token":"${token}"`, '')
      expect(elsewhere + logged).not.toContain(token)
    }
  })

  async function post(path: string, body: object, token = ''): Promise<number> {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(service.baseUrl + path, init)).status
  }

  async function createInformer(email: string, fields: object) {
    const body = { first_name: 'Teste', email, ...fields }
    expect(await post('/informers', body, service.token)).toBe(201)
  }

  /** The link of the email to an address. */
  async function linkTo(address: string): Promise<string> {
    await service.runCronTrigger()
    const email = new RegExp(`To: ${address}[^]*?(http:\\S+#token=(\\S+))`)
    const [, link = '', token = ''] = await vi.waitUntil(
      () => email.exec(service.emails.texts),
      { timeout: 90_000 },
    )
    tokens.push(token)
    return link
  }

  async function expectLogin(email: string) {
    const { password } = PASSWORDS
    expect(await post('/auth/login', { email, password })).toBe(200)
  }

  it('confirm an email, ask for a first password, and say that a link was used', async () => {
    const email = 'jose@example.org'
    await createInformer(email, { require_email_verification: true })
    const link = await linkTo(email)
    await visit.open(link)
    expect(page.url()).toBe(`${origin}/confirmar-email`)
    expect(await visit.text()).not.toContain('senha')
    expect(await visit.button()).toBe('Confirmar meu email')
    await visit.expectAccessible()

    await visit.submit()
    await visit.expectFocus('password')
    expect(await visit.button()).toBe('Salvar a senha')

    await visit.fill({ password: 'Sen', repeated: 'Senha2027' })
    const met = await page.$$eval('li.met', (rules) => {
      return rules.map((rule) => rule.textContent?.trim())
    })
    expect(met).toEqual(['uma letra maiúscula: ok', 'uma letra minúscula: ok'])

    const type = () => page.$eval('#password', (input) => input.getAttribute('type'))
    await page.click('#show')
    expect(await type()).toBe('text')
    await visit.submit()
    await visit.expectFocus('password')
    expect(await type()).toBe('password')
    expect(await visit.text()).toMatch(
      /Ainda falta: pelo menos 6 caracteres, um número\.[^]+As duas senhas não são iguais\./,
    )

    await visit.fill({ password: 'Senha2027' })
    expect(await visit.text()).not.toMatch(/Ainda falta|não são iguais/)

    const long = 'Senha2027'.repeat(15)
    await visit.fill({ password: long, repeated: long })
    await page.keyboard.press('Enter')
    await expect.poll(visit.text).toContain('A senha deve ter no máximo 128 caracteres.')
    await visit.expectFocus('password')

    await visit.fill(PASSWORDS)
    await page.keyboard.press('Enter')
    await visit.expectFocus('Email confirmado com sucesso.')
    expect(await page.title()).toBe('Email confirmado com sucesso. · Chancelaria')
    expect(await visit.text()).toContain('com o seu email ou CPF')
    await expectLogin(email)

    await visit.open(link)
    await visit.submit()
    await visit.expectFocus('O link de confirmação é inválido ou expirou.')
    expect(await visit.text()).not.toMatch(/[Aa]br[ai]/)
    await visit.fill({ email: 'jose@' })
    await visit.submit()
    await visit.expectFocus('email')
    expect(await visit.text()).toContain('O email deve ter um formato válido.')
    await visit.fill({ email })
    await visit.submit()
    await visit.expectFocus('Pedido recebido')
    expect(await visit.text()).toContain('Se houver um cadastro à espera de confirmação')
  })

  it('confirm an email in one step if there is a password, also in an old tab', async () => {
    const email = 'rita@example.org'
    const fields = { password: 'Senha2026', require_email_verification: true }
    await createInformer(email, fields)
    await visit.open(`${origin}/confirmar-email`)
    expect(await visit.text()).toContain('abra o link da mensagem')

    await page.goto(await linkTo(email))
    await page.waitForSelector('#use-token:not([hidden])')
    await visit.submit()
    await visit.awaitFocus('Email confirmado com sucesso.')
  })

  it('send a link to who forgot the password, and set a new one', async () => {
    const email = 'rosa@example.org'
    await createInformer(email, { password: 'Senha2026' })
    await visit.open(`${origin}/.well-known/change-password`)
    expect(page.url()).toBe(`${origin}/redefinir-senha`)
    for (const address of ['rosa@exmaple.org', email]) {
      await visit.fill({ email: address })
      await visit.submit()
      await visit.expectFocus('Pedido recebido')
      expect(await visit.text()).toContain(`O endereço que você escreveu: ${address}`)
      if (address !== email) {
        await page.click('#requested a') // to correct it
        await page.waitForSelector('#request-link:not([hidden])')
      }
    }

    await visit.open(await linkTo(email))
    expect(await visit.button()).toBe('Salvar a nova senha')
    await visit.fill(PASSWORDS)
    await visit.submit()
    await visit.expectFocus('Senha alterada com sucesso.')
    const href = await page.$eval('#used a', (a) => a.getAttribute('href'))
    expect(href).toBe(SETTINGS.LOGIN_URL)
    await expectLogin(email)
  })
}
