import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HTTPRequest } from 'puppeteer-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/lib/demo.ts'
import { visitor } from './browser.ts'
import { CHROMIUM } from './chromium.ts'
import { serveDemo } from './demo-service.ts'
import { newFactorOwner } from './factor-owner.ts'

const LOCAL_SERVICE = 'http://127.0.0.1:8787/v1'

describe.skipIf(!existsSync(CHROMIUM))('the example of a front end', () => {
  const source = readFileSync('docs/example-front-end.html', 'utf8')
  let html = source
  const host = createServer(({ url }, response) =>
    response
      .setHeader('Content-Type', 'text/html; charset=utf-8')
      .end(url === '/' ? html : ''),
  )
  const visit = visitor()
  let service: Awaited<ReturnType<typeof serveDemo>>
  let origin: string

  beforeAll(async () => {
    await once(host.listen(0), 'listening')
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    service = await serveDemo({ CORS_ORIGINS: origin })
    html = source.replace(LOCAL_SERVICE, service.baseUrl)
  })
  afterAll(async () => {
    host.close()
    await service?.stop()
  })

  const evaluate = (script: string) => visit.page.evaluate(script)
  const expectText = (selector: string) =>
    expect.poll(() => evaluate(`document.querySelector('${selector}').innerText`), {
      timeout: 30_000,
    })
  const isShown = (selector: string) =>
    evaluate(`document.querySelector('${selector}').checkVisibility()`)
  const expectCover = () => expectText('#cover').toContain('Ana da Silva Souza')

  async function logIn(user: string, password = DEMO_PASSWORD) {
    await visit.page.locator('[name=user]').fill(user)
    await visit.page.locator('[name=password]').fill(password)
    await visit.page.click('#login button')
  }

  beforeEach(async () => {
    await visit.page.goto(`${origin}/empty`)
    await evaluate('sessionStorage.clear()')
    await visit.page.goto(origin)
  })

  it('names the address of a local start, which a test replaces', () => {
    expect(html).toContain(service.baseUrl)
    expect(html).not.toContain(LOCAL_SERVICE)
  })

  it('is accessible before and after the login, and shows the cover, also after a reload', async () => {
    await visit.expectAccessible()
    await logIn('ana@example.org')
    await expectCover()
    await expectText('#groups').toContain('SOB SEGREDO PONTIFÍCIO')
    expect(await isShown('#login')).toBe(false)
    await visit.expectFocus('person')
    await visit.page.reload()
    await expectCover()
    await visit.page.click('#logout')
    await expect.poll(() => isShown('#login')).toBe(true)
    expect(await evaluate('sessionStorage.length')).toBe(0)
  })

  it('takes a CPF with its dots', async () => {
    const informer = { first_name: 'Rita', cpf: '52998224725', password: DEMO_PASSWORD }
    const { status } = await fetch(`${service.baseUrl}/informers`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(informer),
    })
    expect(status).toBe(201)
    await logIn('529.982.247-25')
    await expectText('#notice').toBe('Grupo ou processo não encontrado.') // she has none yet
  })

  it.each([
    ['ana@example.org', 'Errada2026', 'Credenciais inválidas.'],
    ['admin@example.org', DEMO_PASSWORD, 'Acesso restrito a informantes.'],
  ])('tells %s why there is no cover', async (user, password, text) => {
    await logIn(user, password)
    await expectText('#notice').toBe(text)
    expect(await isShown('#cover')).toBe(false)
    expect(await isShown('#login')).toBe(true)
    expect(await isShown('[name=code]')).toBe(false)
  })

  it('asks for a code where the service does, and sends it', async () => {
    const { email, password, code } = await newFactorOwner(service)
    await logIn(email, password)
    await expectText('#notice').toBe('Informe o código do segundo fator.')
    await expect.poll(() => evaluate('document.activeElement.name')).toBe('code')
    await visit.expectAccessible()
    await visit.page.type('[name=code]', code)
    await visit.page.click('#login button')
    await expectText('#notice').toBe('Acesso restrito a informantes.') // who has it has no cover
  })

  it('goes back to the login, with a word, when the token has ended', async () => {
    await logIn('bento@example.org')
    await expectText('#person').toContain('Bento')
    const Authorization = `Bearer ${await evaluate("sessionStorage.getItem('token')")}`
    const logout = `${service.baseUrl}/auth/logout`
    await fetch(logout, { method: 'POST', headers: { Authorization } })
    await visit.page.reload()
    await expectText('#notice').toBe('Sua sessão terminou. Entre de novo.')
    expect(await isShown('#login')).toBe(true)
    expect(await evaluate('sessionStorage.length')).toBe(0)
  })

  it('searches categories while one types, and aborts what is overtaken', async () => {
    await expectText('#count').toMatch(/^10 de 100$/)
    const searched: (string | null)[] = []
    const failed: (string | undefined)[] = []
    const typeAtOnce = (...texts: string[]) =>
      evaluate(`for (const text of ${JSON.stringify(texts)}) {
        document.getElementById('search').value = text
        document.getElementById('search').dispatchEvent(new Event('input'))
      }`)
    const hold = (request: HTTPRequest) => {
      const { pathname, searchParams } = new URL(request.url())
      if (!pathname.endsWith('/categories')) return request.continue()
      searched.push(searchParams.get('search'))
      if (searchParams.get('search') !== 'con') return request.continue()
    }
    const noteFailure = (request: HTTPRequest) =>
      void failed.push(request.failure()?.errorText)
    visit.page.on('requestfailed', noteFailure)
    await withRequests(hold, async () => {
      await typeAtOnce('c', 'co', 'con')
      await expect.poll(() => searched).toEqual(['con'])
      await typeAtOnce('cone', 'coneg', 'conego')
      await expectText('#categories').toContain('Cônego')
    })
    visit.page.off('requestfailed', noteFailure)
    expect(searched).toEqual(['con', 'conego'])
    expect(failed).toEqual(['net::ERR_ABORTED'])
    expect(await evaluate("document.getElementById('notice').innerText")).toBe('')
  })

  it('says that nothing answers, for instance where its origin is not listed', async () => {
    await visit.page.goto(origin.replace('127.0.0.1', 'localhost'))
    await logIn('ana@example.org')
    await expectText('#notice').toBe('O serviço não respondeu.')
  })

  /** Lets a function continue, answer or hold the requests of the page. */
  async function withRequests(
    handle: (request: HTTPRequest) => unknown,
    action: () => Promise<void>,
  ) {
    await visit.page.setRequestInterception(true)
    visit.page.on('request', handle)
    await action()
    visit.page.off('request', handle)
    await visit.page.setRequestInterception(false)
  }
})
