import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect } from 'vitest'

/** Where Debian puts it; `.ci/run` installs it where it may. */
export const CHROMIUM = '/usr/bin/chromium'

const { resolve } = createRequire(import.meta.url)
export const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

const FORM = 'form:not([hidden])'
/** The id of the element that has the focus, or else its text. */
const FOCUSED = `
  document.activeElement.id ||
  document.activeElement.textContent.trim()`
const VIOLATIONS = 'axe.run().then(({ violations }) => violations)'
const TELEPHONE = { width: 320, height: 640 }

type Visit = { browser: Browser } & ReturnType<typeof actionsOn>

/**
 * Chromium while the tests of a file run, with what a person does on the pages of emailed links,
 * and sees there.
 */
export function visitor(): Visit {
  const visit = {} as Visit

  beforeAll(async () => {
    visit.browser = await puppeteer.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox'],
    })
    const page = await visit.browser.newPage()
    Object.assign(visit, actionsOn(page))
  })
  afterAll(() => visit.browser?.close())
  return visit
}

function actionsOn(page: Page) {
  return {
    page,

    async open(url = '') {
      await page.goto('about:blank') // as a click in an email program does
      await page.goto(url)
    },

    async fill(fields: Record<string, string>) {
      for (const [id, value] of Object.entries(fields)) {
        await page.click(`#${id}`, { count: 3 })
        await page.keyboard.press('Backspace')
        await page.type(`#${id}`, value)
      }
    },

    submit: () => page.click(`${FORM} button`),
    button: () => textOf(page, `${FORM} button`),
    heading: () => textOf(page, 'h1'),

    async text() {
      const text = await page.evaluate('document.body.innerText')
      return String(text)
    },

    /** Waits for the focus on an element with this id or text; any page must be accessible. */
    async expectFocus(expected: string) {
      const focused = () => page.evaluate(FOCUSED)
      await expect.poll(focused, { timeout: 10_000 }).toBe(expected)
      await expectAccessible(page)
    },

    expectAccessible: () => expectAccessible(page),
  }
}

function textOf(page: Page, selector: string) {
  return page.$eval(selector, (element) => element.textContent)
}

async function expectAccessible(page: Page) {
  for (const value of ['light', 'dark']) {
    const scheme = { name: 'prefers-color-scheme', value }
    await page.setViewport(TELEPHONE)
    await page.emulateMediaFeatures([scheme])

    await page.evaluate(AXE)
    expect(await page.evaluate(VIOLATIONS)).toEqual([])

    const width = await page.$eval('html', (html) => html.scrollWidth)
    expect(width).toBe(TELEPHONE.width)
  }
}
