import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { visitor } from './browser.ts'
import { CHROMIUM } from './chromium.ts'
import { serveDemo } from './demo-service.ts'

const PASSWORDS = { password: 'Senha2027', repeated: 'Senha2027' }
const SETTINGS = {
  EMAIL_FROM: 'Chancelaria <nao-responda@example.org>',
  LOGIN_URL: 'https://painel.example.org/entrar',
}

describe.skipIf(!existsSync(CHROMIUM))('the pages of emailed links, in Chromium', () => {
  const links: Record<string, string> = {}
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

  async function post(path: string, body: object, token = ''): Promise<number> {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(service.baseUrl + path, init)).status
  }

  async function expectLogin(email: string) {
    const { password } = PASSWORDS
    const status = await post('/auth/login', { email, password })
    expect(status).toBe(200)
  }

  const visit = visitor()

  beforeAll(async () => {
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    service = await serveDemo({ PUBLIC_URL: origin, ...SETTINGS })
    for (const login of [
      { email: 'jose@example.org' },
      { email: 'rita@example.org', password: 'Senha2026' },
    ]) {
      await post(
        '/informers',
        { first_name: 'Teste', require_email_verification: true, ...login },
        service.token,
      )
    }
    await post('/auth/password/forgot', { email: 'ana@example.org' })
    await service.runCronTrigger()
    for (const name of ['jose', 'rita', 'ana']) {
      const email = new RegExp(`To: ${name}@[^]*?(http:\\S+#token=\\S+)`)
      links[name] = await vi.waitUntil(() => email.exec(service.emails.texts)?.[1], {
        timeout: 90_000,
      })
    }
    const { page } = visit
    page.on('request', (request) => requested.push(new URL(request.url()).origin))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => complaints.push(message.text()))
  })
  afterAll(async () => {
    await service?.stop()
    proxy.close()
  })

  it('confirm an email, and ask for a password if there is none', async () => {
    await visit.open(links.jose)
    expect(visit.page.url()).toBe(`${origin}/confirmar-email`)
    expect(await visit.text()).not.toContain('senha')
    expect(await visit.button()).toBe('Confirmar meu email')
    await visit.expectAccessible()

    await visit.submit()
    await visit.expectFocus('password')
    expect(await visit.button()).toBe('Salvar a senha')

    await visit.fill({ password: 'Sen', repeated: 'Senha2027' })
    const met = await visit.page.$$eval('li.met', (rules) => {
      return rules.map((rule) => rule.textContent?.trim())
    })
    expect(met).toEqual(['uma letra maiúscula: ok', 'uma letra minúscula: ok'])

    const type = () =>
      visit.page.$eval('#password', (input) => input.getAttribute('type'))
    await visit.page.click('#show')
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
    await visit.page.keyboard.press('Enter')
    await expect.poll(visit.text).toContain('A senha deve ter no máximo 128 caracteres.')
    await visit.expectFocus('password')

    await visit.fill(PASSWORDS)
    await visit.page.keyboard.press('Enter')
    await visit.expectFocus('Email confirmado com sucesso.')
    expect(await visit.heading()).toBe('Email confirmado com sucesso.')
    expect(await visit.page.title()).toBe('Email confirmado com sucesso. · Chancelaria')
    expect(await visit.text()).toContain('com o seu email ou CPF')
    await expectLogin('jose@example.org')
  })

  it('say that a link was used, and offer another one', async () => {
    await visit.open(links.jose)
    await visit.submit()
    await visit.expectFocus('O link de confirmação é inválido ou expirou.')
    expect(await visit.text()).not.toMatch(/[Aa]br[ai]/)
    await visit.fill({ email: 'jose@' })
    await visit.submit()
    await visit.expectFocus('email')
    expect(await visit.text()).toContain('O email deve ter um formato válido.')
    await visit.fill({ email: 'jose@example.org' })
    await visit.submit()
    await visit.expectFocus('Pedido recebido')
    expect(await visit.text()).toContain('Se houver um cadastro à espera de confirmação')
  })

  it('confirm an email in one step if there is a password, by a link opened in a tab of before', async () => {
    await visit.open(`${origin}/confirmar-email`)
    expect(await visit.text()).toContain('abra o link da mensagem')
    await visit.page.goto(links.rita ?? '')
    await visit.page.waitForSelector('#use-token:not([hidden])')
    await visit.submit()
    await visit.awaitFocus('Email confirmado com sucesso.')
  })

  it('set a new password, and keep what was typed if the service cannot be reached', async () => {
    await visit.open(links.ana)
    expect(visit.page.url()).toBe(`${origin}/redefinir-senha`)
    expect(await visit.button()).toBe('Salvar a nova senha')
    await visit.fill(PASSWORDS)
    await visit.page.setOfflineMode(true)
    await visit.submit()
    await visit.expectFocus(
      'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.',
    )
    await visit.page.setOfflineMode(false)
    await visit.submit()
    await visit.expectFocus('Senha alterada com sucesso.')

    const href = await visit.page.$eval('#used a', (link) => {
      return link.getAttribute('href')
    })
    expect(href).toBe(SETTINGS.LOGIN_URL)
    await expectLogin('ana@example.org')
  })

  it('pass on that there were too many attempts', async () => {
    const path = '/auth/password/reset'
    const submitTooOften = async () => {
      await visit.open(`${origin}/redefinir-senha#token=x`)
      await visit.fill(PASSWORDS)
      let status = 0
      for (let attempt = 0; attempt < 200 && status !== 429; attempt += 1) {
        status = await post(path, { token: 'x', password: 'Senha2027' })
      }
      const responded = visit.page.waitForResponse(`${origin}/v1${path}`)
      await visit.submit()
      return (await responded).status()
    }
    // again, if a new minute starts meanwhile
    await expect.poll(submitTooOften, { timeout: 90_000 }).toBe(429)
    await visit.awaitFocus('Muitas tentativas. Tente novamente em instantes.')
  })

  it('ask no other host, follow their policy, and show a token to nobody on its way', () => {
    expect(new Set(requested)).toEqual(new Set([origin]))
    expect(
      complaints.filter((complaint) => !complaint.startsWith('Failed to load')),
    ).toEqual([])
    const logged = service.logs.join('\n')
    expect(logged).toContain('/v1/auth/email/verify')
    for (const [, token = ''] of Object.values(links).map((link) =>
      link.split('#token='),
    )) {
      expect(sent).toContain(`\r\n\r\n{"token":"${token}"`)
      expect(sent.replaceAll(`{"token":"${token}"`, '') + logged).not.toContain(token)
    }
  })

  it.each([
    ['is disabled', () => visit.page.setJavaScriptEnabled(false)],
    ['fails', () => visit.page.evaluateOnNewDocument('history.replaceState = undefined')],
  ])('say what to do if the script %s', async (_, breakScript) => {
    await breakScript()
    await visit.open(`${origin}/redefinir-senha#token=x`)
    expect(
      await visit.page.$$eval(
        '#without-script:not([hidden]), form:not([hidden])',
        ({ length }) => length,
      ),
    ).toBe(1)
    await visit.page.setJavaScriptEnabled(true)
  })
})
