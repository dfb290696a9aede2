import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import puppeteer, { type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { IS_DEEP } from '../support/depth.ts'

const { resolve } = createRequire(import.meta.url)
const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

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

type InstalledBrowser = typeof CHROMIUM | typeof FIREFOX

/** Where Debian puts the browsers; `.ci/run` installs them if it can. */
export const CHROMIUM = {
  product: 'chrome',
  executablePath: '/usr/bin/chromium',
} as const
export const FIREFOX = {
  product: 'firefox',
  executablePath: '/usr/bin/firefox-esr',
} as const

/** Describes what a page of a browser shows; skipped, with a line, if none can be opened. */
export async function describeIn(
  browser: InstalledBrowser,
  title: string,
  define: (page: Page) => void,
): Promise<void> {
  const page = await openPage(browser).catch((error) => {
    console.warn(`Skipped: ${title}. ${browser.executablePath}: ${String(error)}`)
  })
  describe.skipIf(!page)(title, () => {
    afterAll(() => page?.browser().close())
    define(page as Page) // of which skipped tests make no use
  })
}

async function openPage({ product, executablePath }: InstalledBrowser) {
  const args = ['--no-sandbox']
  const browser = await puppeteer.launch({ browser: product, executablePath, args })
  return browser.newPage()
}

/**
 * What a person does on the pages of emailed links, and sees there, on a telephone. A script may
 * run before those of a page.
 */
export function visitor(page: Page, { product }: InstalledBrowser, preload = '') {
  // Firefox emulates no colour scheme, and axe would judge the same page again
  const judge = product === 'chrome' ? expectAccessible : expectToFit

  beforeAll(async () => {
    // Firefox 140 takes the size, but fails because it knows no orientation
    await page.setViewport(TELEPHONE).catch(() => undefined)
    await page.waitForFunction(`innerWidth === ${TELEPHONE.width}`)
    await page.evaluateOnNewDocument(preload)
  })

  return {
    page,

    async open(url = '') {
      await page.goto('about:blank') // as a click in an email program does
      await page.goto(url)
    },

    async fill(fields: Record<string, string>) {
      for (const [id, value] of Object.entries(fields)) {
        await page.click(`#${id}`, { count: 3 })
        await page.keyboard.type(value)
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
      await judge(page)
    },

    expectAccessible: () => judge(page),
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

    await expectToFit(page)
  }
}

async function expectToFit(page: Page) {
  const hidden = await page.$eval('html', (html) => html.scrollWidth - html.clientWidth)
  expect(hidden).toBe(0)
}
