import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { IS_DEEP } from '../support/depth.ts'
import { askFor } from './on-demand.ts'

const { resolve } = createRequire(import.meta.url)
export const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

const FORM = 'form:not([hidden])'
/** The id of the element that has the focus, or else its text. */
const FOCUSED = `
  document.activeElement.id ||
  document.activeElement.textContent.trim()`
const TELEPHONE = { width: 320, height: 640 }

/** The rules of axe by colour scheme: in the dark, those of colours, in a deep run all. */
const RULES = {
  light: {},
  dark: IS_DEEP ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] },
}

type Visit = ReturnType<typeof actionsOn>

/** A page of Chromium while the tests of a file run, which shares nothing with other files. */
export function chromiumPage() {
  const opened = {} as { page: Page }
  let browser: Browser | undefined
  let context: BrowserContext | undefined

  beforeAll(async () => {
    const browserWSEndpoint = await askFor(inject('chromium'))
    browser = await puppeteer.connect({ browserWSEndpoint })
    context = await browser.createBrowserContext()
    opened.page = await context.newPage()
  })
  afterAll(async () => {
    await context?.close()
    await browser?.disconnect()
  })
  return opened
}

/**
 * Chromium while the tests of a file run, with what a person does on the pages of emailed links,
 * and sees there.
 */
export function visitor(): Visit {
  const visit = {} as Visit
  const chromium = chromiumPage()

  beforeAll(async () => {
    await chromium.page.setViewport(TELEPHONE)
    Object.assign(visit, actionsOn(chromium.page))
  })
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
        await page.keyboard.sendCharacter(value) // all at once, as by pasting
      }
    },

    submit: () => page.click(`${FORM} button`),
    button: () => textOf(page, `${FORM} button`),
    heading: () => textOf(page, 'h1'),

    async text() {
      const text = await page.evaluate('document.body.innerText')
      return String(text)
    },

    /** Waits for the focus on an element with this id or text. */
    awaitFocus: (expected: string) => awaitFocus(page, expected),

    /** Waits for it on a page that must be accessible. */
    async expectFocus(expected: string) {
      await awaitFocus(page, expected)
      await expectAccessible(page)
    },

    expectAccessible: () => expectAccessible(page),
  }
}

function textOf(page: Page, selector: string) {
  return page.$eval(selector, (element) => element.textContent)
}

async function awaitFocus(page: Page, expected: string) {
  const focused = () => page.evaluate(FOCUSED)
  await expect.poll(focused, { timeout: 10_000 }).toBe(expected)
}

async function expectAccessible(page: Page) {
  const isLoaded = await page.evaluate("'axe' in window")
  if (!isLoaded) await page.evaluate(AXE)

  for (const [value, rules] of Object.entries(RULES)) {
    const scheme = { name: 'prefers-color-scheme', value }
    await page.emulateMediaFeatures([scheme])

    const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
    const run = `axe.run(${options}).then(({ violations }) => violations)`
    expect(await page.evaluate(run)).toEqual([])

    const width = await page.$eval('html', (html) => html.scrollWidth)
    expect(width).toBe(TELEPHONE.width)
  }
}
