import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HTTPRequest } from 'puppeteer-core'
import { transformWithEsbuild } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { visitor } from './browser.ts'
import { CHROMIUM } from './chromium.ts'
import { demoService } from './demo-service.ts'

/** The oldest browsers that the pages of emailed links must work in. */
const OLDEST = ['safari13', 'chrome80', 'firefox78']

function pageFile(name: string): string {
  return readFileSync(join('src', 'pages', name), 'utf8')
}

describe('page.js', () => {
  async function built(code: string, target: string | string[]) {
    const result = await transformWithEsbuild(code, 'page.js', {
      target,
      sourcemap: false,
      supported: { destructuring: true },
    })
    return result.code
  }

  it('has no syntax that the oldest browsers lack', async () => {
    const code = await built(pageFile('page.js'), 'esnext')
    expect(await built(code, OLDEST)).toBe(code)
    expect(await built('a ?? b', OLDEST)).not.toContain('??')
  })

  it('has no array pattern with a rest, which Safari 13 may get wrong', () => {
    expect(pageFile('page.js')).not.toMatch(/\[[^\]]*\.\.\.\w+\] =/)
  })
})

describe('page.css', () => {
  const comments = /\/\*[^]*?\*\//g
  const css = pageFile('page.css').replace(comments, '')

  /** The first groups of a pattern, each once, in order. */
  function all(pattern: RegExp): string[] {
    const matches = [...css.matchAll(pattern)]
    const names = matches.map(([, name = '']) => name)
    return [...new Set(names)].sort()
  }

  /** In all of the oldest browsers, by the tables of MDN. */
  const KNOWN = `
    background border border-color border-radius border-top
    box-sizing color cursor display font font-size font-weight
    margin margin-bottom max-width min-height opacity outline
    outline-offset overflow-wrap padding text-align
    text-decoration vertical-align width`
  /**
   * What an old browser ignores, and nobody misses: ticks, hyphens, native controls in the dark.
   */
  const EXTRAS = `
    -webkit-hyphens hyphens accent-color color-scheme list-style`

  it('has no property that the oldest browsers lack, but a few that are not missed', () => {
    const known = `${KNOWN} ${EXTRAS}`.split(/\s+/)
    const properties = all(/[{;]\s*(-?[a-z][a-z-]*):/g)
    const unknown = properties.filter((name) => {
      return !known.includes(name)
    })
    expect(properties.length).toBeGreaterThan(20)
    expect(unknown).toEqual([])
  })

  it('has no function, selector or rule that the oldest browsers lack', () => {
    const functions = all(/([\w-]+)\(/g)
    expect(functions).toEqual(['not', 'var'])

    const selectors = all(/:([a-z-]+)/g)
    expect(selectors).toEqual(['empty', 'focus', 'not', 'root'])

    const rules = all(/@([^{]+) \{/g)
    expect(rules).toEqual([
      'media (min-width: 36rem)',
      'media (prefers-color-scheme: dark)',
    ])
  })
})

/** What pages might use, and a browser of 2019 or 2020 lacks. */
const YOUNGER = {
  AbortSignal: 'any timeout',
  'Array.prototype': 'at findLast toReversed toSorted toSpliced with',
  'Crypto.prototype': 'randomUUID',
  'Element.prototype': 'checkVisibility replaceChildren role',
  'HTMLDialogElement.prototype': 'show showModal',
  'HTMLElement.prototype': 'inert popover showPopover',
  'HTMLFormElement.prototype': 'requestSubmit',
  'Iterator.prototype': 'filter find forEach map some toArray',
  Object: 'groupBy hasOwn',
  Promise: 'any try withResolvers',
  'String.prototype': 'at isWellFormed replaceAll toWellFormed',
  'SubmitEvent.prototype': 'submitter',
  URL: 'canParse parse',
  window: 'Iterator WeakRef navigation reportError structuredClone',
}

/** Takes it away from the page, and the properties of ARIA with it. */
const TAKE_AWAY = `
  for (const [owner, names] of Object.entries(${JSON.stringify(YOUNGER)}))
    for (const name of names.split(' '))
      delete eval(owner)[name]
  for (const name of Object.getOwnPropertyNames(Element.prototype))
    if (name.startsWith('aria'))
      delete Element.prototype[name]`

describe.skipIf(!existsSync(CHROMIUM))('without what is younger, in Chromium', () => {
  const service = demoService()
  const visit = visitor()
  const complaints: string[] = []
  let waiting: HTTPRequest | undefined

  beforeAll(async () => {
    const { page } = visit
    await page.evaluateOnNewDocument(TAKE_AWAY)
    await page.setRequestInterception(true)
    page.on('pageerror', (error) => {
      complaints.push(String(error))
    })
    page.on('request', (request) => {
      if (request.method() === 'POST') waiting = request
      else void request.continue()
    })
  })

  /** Submits a form, sees that it waits, and lets the service respond. */
  async function submitAndSucceed(message: string) {
    await visit.submit()
    await visit.page.waitForSelector('button[aria-disabled=true]')
    expect(await visit.button()).toBe('Aguarde…')

    await expect.poll(() => waiting?.method()).toBe('POST')
    const body = JSON.stringify({ success: true, message })
    await waiting?.respond({ body })
    waiting = undefined
  }

  it('a page sets a password, shows that one waits, and asks for a link', async () => {
    const page = service.baseUrl.replace('/v1', '/redefinir-senha')
    await visit.open(`${page}#token=x`)
    const lacking = '[[].at, document.body.ariaLabel]'
    expect(await visit.page.evaluate(lacking)).toEqual([null, null])

    await visit.fill({ password: 'x', repeated: 'y' })
    await visit.submit()
    await visit.expectFocus('password')

    await visit.fill({ password: 'Senha2027', repeated: 'Senha2027' })
    await submitAndSucceed('Senha alterada com sucesso.')
    await visit.expectFocus('Senha alterada com sucesso.')

    await visit.open(page)
    await visit.fill({ email: 'ana@example.org' })
    await submitAndSucceed('Feito.')
    await visit.expectFocus('Pedido recebido')
    expect(complaints).toEqual([])
  })
})
