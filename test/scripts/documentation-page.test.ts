import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

/** Where Debian puts it; `.ci/run` installs it where it may. */
const CHROMIUM = '/usr/bin/chromium'

describe.skipIf(!existsSync(CHROMIUM))('the documentation page in Chromium', () => {
  const { stateDir, remove } = temporaryState()
  let service: Awaited<ReturnType<typeof startService>>
  let browser: Browser
  let page: Page
  const asked: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    service = await startService({ STATE_DIR: stateDir })
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    page = await browser.newPage()
    page.setDefaultTimeout(20_000)
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(`${service.baseUrl}/docs`)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.interrupt()
    remove()
  })

  /** Opens an operation, tries it, and gives the status and the body that the page shows. */
  async function tryOut(operation: string) {
    const block = `[id$="-${operation}"]`
    for (const control of ['.opblock-summary-control', '.try-out__btn', '.execute'])
      await page.locator(`${block} ${control}`).click()
    const answer = `${block} .live-responses-table tbody`
    const textOf = (selector: string) =>
      page
        .locator(selector)
        .map((element) => (element as unknown as { textContent: string }).textContent)
        .wait()
    return {
      status: await textOf(`${answer} .response-col_status`),
      body: await textOf(`${answer} .highlight-code`),
    }
  }

  it('shows every operation', async () => {
    await page.waitForSelector('.opblock')
    expect(await page.$$eval('.opblock', (blocks) => blocks.length)).toBe(13)
  })

  it('tries a public route', async () => {
    const { status, body } = await tryOut('listCategories')
    expect(status).toMatch(/^200/)
    expect(body).toContain('"pagination"')
  })

  it('tries a protected route with the token that is entered', async () => {
    const login = await fetch(`${service.baseUrl}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ana@example.org', password: 'Provisao2026' }),
    })
    const { data } = (await login.json()) as { data: { access_token: string } }
    await page.click('.btn.authorize')
    await page.type('.auth-container input', data.access_token)
    await page.click('.auth-container .authorize')
    await page.click('.auth-container .btn-done')
    const { status, body } = await tryOut('readCover')
    expect(status).toMatch(/^200/)
    expect(body).toContain('Ana da Silva Souza')
  })

  it('loads nothing from another host, and the browser has nothing to complain of', () => {
    const { origin } = new URL(service.baseUrl)
    expect(asked.length).toBeGreaterThan(4)
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
  })
})
