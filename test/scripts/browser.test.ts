import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { logIn } from '../../scripts/commands/provisioning/demo.ts'
import { CHROMIUM, describeIn } from './browser.ts'
import { demoService, serveDemo } from './demo-service.ts'
import { resources } from '#routes/resources.ts'

await describeIn(CHROMIUM, 'the documentation page, in Chromium', (page) => {
  const service = demoService()
  const requested: string[] = []
  const complaints: string[] = []

  beforeAll(() => {
    page.setDefaultTimeout(60_000)
    page.on('request', (request) => requested.push(request.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
  })
  beforeEach(async () => {
    await page.goto(`${service.baseUrl}/docs`)
    await page.waitForSelector('.opblock-tag')
  })
  // whatever it does, it loads nothing from another host, and causes no browser errors
  afterEach(() => {
    const { origin } = new URL(service.baseUrl)
    const foreign = requested.filter((url) => {
      return url.startsWith('http') && !url.startsWith(`${origin}/`)
    })
    expect(foreign).toEqual([])
    expect(complaints).toEqual([])
  })

  const count = (selector: string) => page.$$eval(selector, ({ length }) => length)
  const blockOf = (operation: string) => `.opblock[id$="-${operation}"]`

  async function open(operation: string) {
    const block = blockOf(operation)
    await page.locator(`${block} .opblock-summary-control`).click()
    await page.locator(`${block} .try-out__btn`).click()
  }

  /** Opens and tries an operation; returns the status and body that the page shows. */
  async function tryOut(operation: string): Promise<string | null> {
    await open(operation)
    await page.locator(`${blockOf(operation)} .execute`).click()
    const response = `${blockOf(operation)} .live-responses-table tbody`
    await page.waitForSelector(`${response} .highlight-code`)
    return page.$eval(response, ({ textContent }) => textContent)
  }

  it('lists every operation of every resource, and the demo users', async () => {
    const operations = resources.flatMap((resource) => Object.keys(resource.operations))
    expect(await count('.opblock-tag')).toBe(resources.length)
    expect(await count('.opblock')).toBe(operations.length)
    expect(await count('#demo:not([hidden])')).toBe(1)
  })

  it('is dark where the browser prefers it', async () => {
    const prefer = (value: string) =>
      page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
    await prefer('light')
    await page.waitForSelector('html:not(.dark-mode)')
    await prefer('dark')
    await page.waitForSelector('html.dark-mode')
    await prefer('light')
    await page.waitForSelector('html:not(.dark-mode)')
  })

  it('uses the token of a login, or one that was entered, in this tab, also after a reload', async () => {
    expect(await tryOut('login')).toMatch(/^200/)
    expect(await tryOut('readCover')).toContain('Ana da Silva Souza')

    await page.click('.btn.authorize')
    await page.locator('.auth-container ::-p-text(Logout)').click()
    await page.locator('.auth-container input').click()
    await page.keyboard.sendCharacter(await logIn(service.baseUrl, 'bento@example.org'))
    await page.click('.auth-container .authorize')
    await page.click('.auth-container .btn-done')
    await page.reload()
    expect(await tryOut('readCover')).toContain('Bento')
    const stored = await page.evaluate('[sessionStorage.length, localStorage.length]')
    expect(stored).toEqual([1, 0])
  })

  it('fits a telephone', async () => {
    await page.setViewport({ width: 375, height: 667 })
    for (const id of ['listCategories', 'createInformer']) await open(id)
    const hidden = await page.$eval('html', (html) => html.scrollWidth - html.clientWidth)
    expect(hidden).toBe(0)
  })
})

await describeIn(CHROMIUM, 'a front end of another origin, in Chromium', (page) => {
  const frontEnd = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html>')
  })
  let service: Awaited<ReturnType<typeof serveDemo>>
  let port: number

  beforeAll(async () => {
    await once(frontEnd.listen(0), 'listening')
    port = (frontEnd.address() as AddressInfo).port
    service = await serveDemo({ CORS_ORIGINS: `http://127.0.0.1:${port}` })
  })
  afterAll(async () => {
    await service?.stop()
    frontEnd.close()
  })

  /** Sends a request from the page as a front end does; null where the browser blocks it. */
  const send = (path: string, method = 'GET', token = '', body?: object) =>
    page.evaluate(
      async (url, init) => {
        try {
          const response = await fetch(url, init)
          const requestId = response.headers.get('X-Request-Id')
          const body = (await response.json()) as { data: Record<string, string> }
          return { status: response.status, requestId, ...body }
        } catch {
          return null
        }
      },
      service.baseUrl + path,
      {
        method,
        headers: {
          ...(token && { Authorization: `Bearer ${token}` }),
          ...(body && {
            'Content-Type': 'application/json',
            'Idempotency-Key': crypto.randomUUID(),
          }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
    )

  const CREDENTIALS = { email: 'admin@example.org', password: 'Provisao2026' }

  it('logs in, writes with every method, and reads the headers', async () => {
    await page.goto(`http://127.0.0.1:${port}/`)
    const login = await send('/auth/login', 'POST', '', CREDENTIALS)
    const token = login?.data.access_token
    const created = await send('/informers', 'POST', token, { first_name: 'Teste' })
    const path = `/informers/${created?.data.id}`
    const updated = await send(path, 'PATCH', token, { last_name: 'Reis' })
    const deleted = await send(path, 'DELETE', token)
    const statuses = [login, created, updated, deleted].map((one) => one?.status)
    expect(statuses).toEqual([200, 201, 200, 200])
    expect(deleted?.requestId).toMatch(/^[\da-f-]{36}$/)
  })

  it('may only read public lists if its origin is not configured', async () => {
    await page.goto(`http://localhost:${port}/`)
    expect(await send('/categories')).toMatchObject({ status: 200 })
    expect(await send('/cover')).toBeNull()
    expect(await send('/auth/login', 'POST', '', CREDENTIALS)).toBeNull()
  })
})
