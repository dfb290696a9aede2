import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect } from 'vitest'

/** Where Debian puts it; `.ci/run` installs it where it may. */
export const CHROMIUM = '/usr/bin/chromium'

export const AXE = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/** Chromium while the tests of a file run, with what a person does on the pages of emailed links, and sees there. */
export function visitor() {
  const visit = {} as { browser: Browser } & ReturnType<typeof actionsOn>
  beforeAll(async () => {
    visit.browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    Object.assign(visit, actionsOn(await visit.browser.newPage()))
  })
  afterAll(() => visit.browser?.close())
  return visit
}

function actionsOn(page: Page) {
  const submit = () => page.click('form:not([hidden]) button')
  const text = () => page.evaluate('document.body.innerText') as Promise<string>
  const textOf = (selector: string) => page.$eval(selector, ({ textContent }) => textContent)
  const heading = () => textOf('h1')
  const button = () => textOf('form:not([hidden]) button')

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

  return { page, submit, text, heading, button, open, fill, expectFocus, expectAccessible }
}
