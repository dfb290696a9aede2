import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { logIn } from '../../scripts/commands/provisioning/demo.ts'
import { AXE, browserPage, CHROMIUM, isInstalled } from './browser.ts'
import { serveDemo } from './demo-service.ts'
import { resources } from '#routes/resources.ts'

describe.skipIf(!isInstalled(CHROMIUM))('in Chromium', () => {
  const frontEnd = createServer((_, response) =>
    response
      .setHeader('Content-Type', 'text/html')
      .end('<!doctype html><title>A front end</title>'),
  )
  let service: Awaited<ReturnType<typeof serveDemo>>
  const chromium = browserPage(CHROMIUM)
  let page: Page
  let port: number

  beforeAll(async () => {
    await once(frontEnd.listen(0), 'listening')
    port = (frontEnd.address() as AddressInfo).port
    const origin = `http://127.0.0.1:${port}`
    const PASSWORD_RESET_URL = `${origin}/#/redefinir`
    service = await serveDemo({ CORS_ORIGINS: origin, PASSWORD_RESET_URL })
    page = chromium.page
    page.setDefaultTimeout(60_000)
  })
  afterAll(async () => {
    await service?.stop()
    frontEnd.close()
  })

  describe('the documentation page', () => {
    const requested: string[] = []
    const complaints: string[] = []
    const count = (selector: string) => page.$$eval(selector, ({ length }) => length)
    const isDark = () => page.$eval('html', ({ className }) => className === 'dark-mode')
    const prefer = (value: string) =>
      page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])

    const textOf = (selector: string) =>
      page
        .locator(selector)
        .map((element) => (element as unknown as { textContent: string }).textContent)
        .wait()

    const blockOf = (operation: string) => `.opblock[id$="-${operation}"]`
    const responseOf = (operation: string) =>
      `${blockOf(operation)} .live-responses-table tbody`

    /** Opens an operation, to try it; one takes seconds, so it stays open for other tests. */
    async function open(operation: string) {
      const isOpen = `${blockOf(operation)} .try-out__btn.cancel`
      if ((await count(isOpen)) > 0) return
      const button = `${blockOf(operation)} .opblock-summary-control`
      await page.$eval(button, (element) => element.click())
      await page.locator(`${blockOf(operation)} .try-out__btn`).click()
      await page.waitForSelector(isOpen)
    }

    /** Opens and tries an operation; returns the status and body that the page shows. */
    async function tryOut(operation: string) {
      await open(operation)
      const response = responseOf(operation)
      if ((await count(response)) > 0) {
        await page.click(`${blockOf(operation)} .btn-clear`)
        await page.waitForSelector(response, { hidden: true })
      }
      await page.locator(`${blockOf(operation)} .execute`).click()
      return {
        status: await textOf(`${response} .response-col_status`),
        body: await textOf(`${response} .highlight-code`),
      }
    }

    /** Closes what other tests opened, which would make axe slow. */
    async function closeAllBut(operations: string[]) {
      const others = `.opblock.is-open:not(${operations.map(blockOf).join()})`
      for (const button of await page.$$(`${others} .opblock-summary-control`)) {
        await button.press('Enter')
      }
      await page.waitForSelector(others, { hidden: true })
    }

    beforeAll(async () => {
      page.on('request', (request) => requested.push(request.url()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await prefer('light')
      await page.goto(`${service.baseUrl}/docs`)
      await page.waitForSelector('.opblock-tag')
    })

    it('lists every operation of every resource', async () => {
      const operations = resources.flatMap((resource) => Object.keys(resource.operations))
      expect(await count('.opblock-tag')).toBe(resources.length)
      expect(await count('.opblock')).toBe(operations.length)
    })

    it('explains where to get a token, and lists the demo users', async () => {
      const hint = await page.$eval('aside', ({ textContent }) =>
        textContent.replace(/\s+/g, ' '),
      )
      expect(hint).toContain('Entre por POST /auth/login')
      expect(await count('#demo:not([hidden])')).toBe(1)
      expect(hint).toContain('admin@example.org')
    })

    it('is dark where the browser prefers it', async () => {
      expect(await isDark()).toBe(false)
      await prefer('dark')
      await page.waitForSelector('.dark-mode')
      await prefer('light')
      await page.waitForSelector('html:not(.dark-mode)')
    })

    it('tries a protected route with the token that was entered, also after a reload, but only in this tab', async () => {
      await page.click('.btn.authorize')
      await page.locator('.auth-container input').click()
      await page.keyboard.sendCharacter(await logIn(service.baseUrl, 'bento@example.org'))
      await page.click('.auth-container .authorize')
      await page.click('.auth-container .btn-done')
      await page.reload()
      const { status, body } = await tryOut('readCover')
      expect(status).toMatch(/^200/)
      expect(body).toContain('Bento')
      const stored = await page.evaluate('[sessionStorage.length, localStorage.length]')
      expect(stored).toEqual([1, 0])

      await page.click('.btn.authorize') // gives it up, for the tests that come after
      await page.locator('.auth-container ::-p-text(Logout)').click()
      await page.click('.auth-container .btn-done')
      await page.waitForSelector('.btn.authorize.unlocked')
    })

    it('uses the token of a login at once', async () => {
      expect(await count('.btn.authorize.unlocked')).toBe(1)
      expect((await tryOut('login')).status).toMatch(/^200/)
      expect((await tryOut('readCover')).body).toContain('Ana da Silva Souza')
    })

    it('fits a telephone', async () => {
      await page.setViewport({ width: 375, height: 667 })
      for (const id of ['listCategories', 'createInformer']) await open(id)
      expect(
        await page.$eval(
          'html',
          ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
        ),
      ).toBe(0)
    })

    it('is accessible in light and dark colours, with operations open and tried', async () => {
      await prefer('light')
      await page.setViewport({ width: 1200, height: 900 })
      await page.evaluate(AXE)
      const judged = ['listCategories', 'deleteInformer', 'createInformer']
      await closeAllBut(judged)
      if ((await count(responseOf('listCategories'))) === 0) {
        await tryOut('listCategories')
      }
      for (const id of judged) await open(id)

      const finished =
        'Promise.allSettled(document.getAnimations().map((transition) => transition.finished))'
      const violations = (options: string) => () =>
        page.evaluate(
          `${finished}.then(() => axe.run({ resultTypes: ['violations'], ${options} })).then(({ violations }) => violations)`,
        )
      await expect.poll(violations(''), { timeout: 60_000 }).toEqual([])
      await prefer('dark')
      await page.waitForSelector('.dark-mode')
      await expect
        .poll(violations("runOnly: ['color-contrast']"), { timeout: 60_000 })
        .toEqual([])
    })

    it('loads nothing from another host, and causes no browser errors', () => {
      const { origin } = new URL(service.baseUrl)
      expect(requested.length).toBeGreaterThan(4)
      expect(
        requested.filter((url) => !url.startsWith(origin) && !url.startsWith('data:')),
      ).toEqual([])
      expect(complaints).toEqual([])
    })
  })

  describe('a front end of another origin', () => {
    /**
     * Sends a request from the page, with the headers of a framework; null where the browser blocks
     * it.
     */
    const send = (path: string, method = 'GET', token = '', body?: object) =>
      page.evaluate(
        async (url, init) => {
          try {
            const response = await fetch(url, init)
            const text = await response.text()
            const headers = Object.fromEntries(response.headers) as Record<string, string>
            return { status: response.status, headers, body: text && JSON.parse(text) }
          } catch {
            return null
          }
        },
        service.baseUrl + path,
        {
          method,
          headers: {
            'X-Requested-With': 'XMLHttpRequest',
            ...(token && { Authorization: `Bearer ${token}` }),
            ...(body && {
              'Content-Type': 'application/json',
              'Idempotency-Key': crypto.randomUUID(),
            }),
          },
          ...(body && { body: JSON.stringify(body) }),
        },
      )
    const credentials = (name: string) => ({
      email: `${name}@example.org`,
      password: 'Provisao2026',
    })

    beforeAll(async () => {
      await page.goto(`http://127.0.0.1:${port}/`)
    })

    it('logs in after a preflight, writes with every method, and reads the headers', async () => {
      const login = await send('/auth/login', 'POST', '', credentials('admin'))
      const token = login?.body.data.access_token
      const created = await send('/informers', 'POST', token, { first_name: 'Teste' })
      const path = `/informers/${created?.body.data.id}`
      const updated = await send(path, 'PATCH', token, { last_name: 'Reis' })
      const deleted = await send(path, 'DELETE', token)
      const responses = [login, created, updated, deleted]
      expect(responses.map((response) => response?.status)).toEqual([200, 201, 200, 200])
      expect(deleted?.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
      await expect.poll(() => service.logs.join()).toContain('"method":"OPTIONS"')
    })

    it('takes the token of an emailed link from its own fragment, and sets a password with it', async () => {
      await send('/auth/password/forgot', 'POST', '', { email: 'bento@example.org' })
      const email = new RegExp(`(http://127.0.0.1:${port}/#/redefinir\\?token=\\S+)`)
      await service.runCronTrigger()
      await page.goto(
        await vi.waitUntil(() => email.exec(service.emails.texts)?.[1], {
          timeout: 90_000,
        }),
      )
      const token = await page.evaluate(
        // as documented
        "new URLSearchParams(location.hash.replace(/^#(.*\\?)?/, '')).get('token')",
      )
      const body = { token, password: 'Senha2027' }
      expect((await send('/auth/password/reset', 'POST', '', body))?.status).toBe(200)
    })

    it('is blocked from protected routes if its origin is not configured', async () => {
      await page.goto(`http://localhost:${port}/`)
      expect((await send('/categories'))?.status).toBe(200)
      expect(await send('/cover')).toBeNull()
      expect(await send('/auth/login', 'POST', '', credentials('ana'))).toBeNull()
    })
  })
})
