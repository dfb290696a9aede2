import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer } from 'node:net'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CHROMIUM } from './browser.ts'
import { serveDemo } from './demo-service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(!existsSync(CHROMIUM))('the pages of emailed links, in Chromium', () => {
  const links: Record<string, string> = {}
  const requested: string[] = []
  const complaints: string[] = []
  let sent = ''
  let service: Awaited<ReturnType<typeof serveDemo>>
  let browser: Browser
  let page: Page
  let origin: string

  /** Sees what a proxy in front of the service would. */
  const proxy = createServer((socket) => {
    socket.on('data', (data) => {
      sent += data
    })
    socket.pipe(connect(Number(new URL(service.baseUrl).port), '127.0.0.1')).pipe(socket)
  })

  async function post(path: string, body: object, token = ''): Promise<number> {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(service.baseUrl + path, init)).status
  }
  const submit = () => page.click('form:not([hidden]) button')
  const text = () => page.evaluate('document.body.innerText')

  async function open(url = '') {
    await page.goto('about:blank') // as a click in an email program does
    await page.goto(url)
  }

  async function fill(fields: Record<string, string>) {
    for (const [id, value] of Object.entries(fields)) {
      await page.click(`#${id}`, { count: 3 })
      await page.keyboard.press('Backspace')
      await page.type(`#${id}`, value)
    }
  }

  /** The id or the text of the element that has the focus, once that is expected; any page must be accessible. */
  async function expectFocus(expected: string) {
    const focused = 'document.activeElement.id || document.activeElement.textContent.trim()'
    await expect.poll(() => page.evaluate(focused), { timeout: 10_000 }).toBe(expected)
    await expectAccessible()
  }
  async function expectAccessible() {
    for (const value of ['light', 'dark']) {
      await page.setViewport({ width: 320, height: 640 })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
      await page.evaluate(AXE)
      expect(await page.evaluate('axe.run().then(({ violations }) => violations)')).toEqual([])
      expect(await page.$eval('html', ({ scrollWidth }) => scrollWidth)).toBe(320)
    }
  }

  beforeAll(async () => {
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    service = await serveDemo({ PUBLIC_URL: origin })
    for (const login of [
      { email: 'jose@example.org' },
      { email: 'rita@example.org', password: 'Senha2026' },
    ])
      await post(
        '/informers',
        { first_name: 'Teste', require_email_verification: true, ...login },
        service.token,
      )
    await post('/auth/password/forgot', { email: 'ana@example.org' })
    await service.runCronTrigger()
    for (const name of ['jose', 'rita', 'ana']) {
      const email = new RegExp(`To: ${name}@[^]*?(http:\\S+#token=\\S+)`)
      links[name] = await vi.waitUntil(() => email.exec(service.emails.texts)?.[1], {
        timeout: 90_000,
      })
    }
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    page = await browser.newPage()
    page.on('request', (request) => requested.push(new URL(request.url()).origin))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => complaints.push(message.text()))
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    proxy.close()
  })

  it('confirm an email, and ask for a password if there is none', async () => {
    await open(links.jose)
    expect(page.url()).toBe(`${origin}/confirmar-email`)
    expect(await text()).not.toContain('senha')
    await expectAccessible()
    await submit()
    await expectFocus('password')
    await fill({ password: 'Sen', repeated: 'Senha2027' })
    expect(await page.$$eval('li.met', (met) => met.map(({ textContent }) => textContent))).toEqual(
      ['uma letra maiúscula: ok', 'uma letra minúscula: ok'],
    )
    const type = () => page.$eval('#password', (input) => input.getAttribute('type'))
    await page.click('#show')
    expect(await type()).toBe('text')
    await submit()
    await expectFocus('password')
    expect(await type()).toBe('password')
    expect(await text()).toMatch(
      /Ainda falta: pelo menos 6 caracteres, um número\.[^]+As duas senhas não são iguais\./,
    )
    await fill({ password: 'Senha2027' })
    expect(await text()).not.toMatch(/Ainda falta|não são iguais/)
    const long = 'Senha2027'.repeat(15)
    await fill({ password: long, repeated: long })
    await page.keyboard.press('Enter')
    await expect.poll(text).toContain('A senha deve ter no máximo 128 caracteres.')
    await expectFocus('password')
    await fill({ password: 'Senha2027', repeated: 'Senha2027' })
    await page.keyboard.press('Enter')
    await expectFocus('Email confirmado com sucesso.')
    expect(await post('/auth/login', { email: 'jose@example.org', password: 'Senha2027' })).toBe(
      200,
    )
  })

  it('say that a link was used, and offer another one', async () => {
    await open(links.jose)
    await submit()
    await expectFocus('O link de confirmação é inválido ou expirou.')
    await fill({ email: 'jose@' })
    await submit()
    await expectFocus('email')
    expect(await text()).toContain('O email deve ter um formato válido.')
    await fill({ email: 'jose@example.org' })
    await submit()
    await expectFocus('Pedido recebido')
    expect(await text()).toContain('Se houver um cadastro à espera de confirmação')
  })

  it('confirm an email in one step if there is a password, by a link opened in a tab of before', async () => {
    await open(`${origin}/confirmar-email`)
    expect(await text()).toContain('É preciso um link')
    await page.goto(links.rita ?? '')
    await page.waitForSelector('form:not([hidden])')
    await submit()
    await expectFocus('Email confirmado com sucesso.')
  })

  it('set a new password, and keep what was typed if the service cannot be reached', async () => {
    await open(links.ana)
    expect(page.url()).toBe(`${origin}/redefinir-senha`)
    await fill({ password: 'Senha2027', repeated: 'Senha2027' })
    await page.setOfflineMode(true)
    await submit()
    await expectFocus(
      'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.',
    )
    await page.setOfflineMode(false)
    await submit()
    await expectFocus('Senha alterada com sucesso.')
    expect(await post('/auth/login', { email: 'ana@example.org', password: 'Senha2027' })).toBe(200)
  })

  it('pass on that there were too many attempts', async () => {
    for (let n = 0; n < 60; n++)
      await post('/auth/password/reset', { token: 'x', password: 'Senha2027' })
    await open(`${origin}/redefinir-senha#token=x`)
    await fill({ password: 'Senha2027', repeated: 'Senha2027' })
    await submit()
    await expectFocus('Muitas tentativas. Tente novamente em instantes.')
  })

  it('ask no other host, follow their policy, and show a token to nobody on its way', () => {
    expect(new Set(requested)).toEqual(new Set([origin]))
    expect(
      complaints.filter((complaint) => !/^Failed to load|Password forms/.test(complaint)),
    ).toEqual([])
    const logged = service.logs.join('\n')
    expect(logged).toContain('/v1/auth/email/verify')
    for (const [, token = ''] of Object.values(links).map((link) => link.split('#token='))) {
      expect(sent).toContain(`\r\n\r\n{"token":"${token}"`)
      expect(sent.replaceAll(`{"token":"${token}"`, '') + logged).not.toContain(token)
    }
  })

  it.each([
    ['is disabled', () => page.setJavaScriptEnabled(false)],
    ['fails', () => page.evaluateOnNewDocument('URLSearchParams = undefined')], // like an old browser
  ])('say what to do if the script %s', async (_, breakScript) => {
    await breakScript()
    await open(`${origin}/redefinir-senha#token=x`)
    expect(
      await page.$$eval(
        '#without-script:not([hidden]), form:not([hidden])',
        ({ length }) => length,
      ),
    ).toBe(1)
    await page.setJavaScriptEnabled(true)
  })
})
