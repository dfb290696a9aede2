import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HTTPRequest } from 'puppeteer-core'
import { transformWithEsbuild } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, visitor } from './browser.ts'
import { demoService } from './demo-service.ts'

/** The oldest browsers that the pages of emailed links must work in. */
const OLDEST = ['safari13', 'chrome80', 'firefox78']

const pageFile = (name: string) => readFileSync(join('src', 'pages', name), 'utf8')

it('page.js has no syntax that the oldest browsers lack', async () => {
  const built = (code: string, target: string | string[]) =>
    transformWithEsbuild(code, 'page.js', {
      target,
      sourcemap: false,
      supported: { destructuring: true }, // Safari 13 fails at a rest in an array's, which is not there
    })
  const { code } = await built(pageFile('page.js'), 'esnext')
  expect((await built(code, OLDEST)).code).toBe(code)
  expect((await built('a ?? b', OLDEST)).code).not.toContain('??')
  expect(code).not.toMatch(/\[[^\]]*\.\.\.\w+\] =/)
})

describe('page.css', () => {
  const css = pageFile('page.css').replace(/\/\*[^]*?\*\//g, '')

  /** The first groups of a pattern, each once, in order. */
  const all = (pattern: RegExp) =>
    [...new Set([...css.matchAll(pattern)].map(([, name = '']) => name))].sort()

  /** In all of the oldest browsers, by the tables of MDN. */
  const KNOWN = `
    background border border-color border-radius border-top box-sizing color cursor display font
    font-size font-weight margin margin-bottom max-width min-height opacity outline outline-offset
    overflow-wrap padding text-align text-decoration vertical-align width`
  /** What an old browser ignores, and nobody misses: ticks, hyphens, native controls in the dark. */
  const EXTRAS = '-webkit-hyphens hyphens accent-color color-scheme list-style'

  it('has no property that the oldest browsers lack, but a few that are not missed', () => {
    const known = `${KNOWN} ${EXTRAS}`.split(/\s+/)
    const properties = all(/[{;]\s*(-?[a-z][a-z-]*):/g)
    expect(properties.length).toBeGreaterThan(20)
    expect(properties.filter((name) => !known.includes(name))).toEqual([])
  })

  it('has no function, selector or rule that the oldest browsers lack', () => {
    expect(all(/([\w-]+)\(/g)).toEqual(['not', 'var'])
    expect(all(/:([a-z-]+)/g)).toEqual(['empty', 'focus', 'not', 'root'])
    expect(all(/@([^{]+) \{/g)).toEqual([
      'media (min-width: 36rem)',
      'media (prefers-color-scheme: dark)',
    ])
  })
})

/** What pages might use, and a browser of 2019 or 2020 lacks. */
const YOUNGER = {
  'Array.prototype': 'at findLast findLastIndex toReversed toSorted toSpliced with',
  'String.prototype': 'at isWellFormed replaceAll toWellFormed',
  Object: 'groupBy hasOwn',
  Promise: 'any try withResolvers',
  AbortSignal: 'any timeout',
  URL: 'canParse parse',
  'Crypto.prototype': 'randomUUID',
  'Element.prototype': 'checkVisibility moveBefore replaceChildren role',
  'HTMLElement.prototype': 'inert popover showPopover',
  'HTMLDialogElement.prototype': 'show showModal',
  'HTMLFormElement.prototype': 'requestSubmit',
  'SubmitEvent.prototype': 'submitter',
  'Iterator.prototype': 'filter find forEach map some toArray',
  window: 'Iterator WeakRef navigation reportError scheduler structuredClone',
}

/** Takes it away from the page, and the properties of ARIA with it. */
const TAKE_AWAY = `
  const younger = Object.entries(${JSON.stringify(YOUNGER)})
  for (const [owner, names] of younger)
    for (const name of names.split(' ')) delete eval(owner)[name]
  for (const name of Object.getOwnPropertyNames(Element.prototype))
    if (name.startsWith('aria')) delete Element.prototype[name]`

describe.skipIf(!existsSync(CHROMIUM))('without what is younger, in Chromium', () => {
  const service = demoService()
  const visit = visitor()
  const complaints: string[] = []
  let respond = (_: object) => {}

  beforeAll(async () => {
    await visit.page.evaluateOnNewDocument(TAKE_AWAY)
    await visit.page.setRequestInterception(true)
    visit.page.on('pageerror', (error) => complaints.push(String(error)))
    visit.page.on('request', (request: HTTPRequest) => {
      if (request.method() !== 'POST') return void request.continue()
      respond = (body) => void request.respond({ body: JSON.stringify(body) })
    })
  })

  it('a page sets a password, shows that one waits, and asks for a link', async () => {
    const page = service.baseUrl.replace('/v1', '/redefinir-senha')
    await visit.open(`${page}#token=x`)
    expect(await visit.page.evaluate('[[].at, document.body.ariaLabel]')).toEqual([null, null])
    await visit.fill({ password: 'x', repeated: 'y' })
    await visit.submit()
    await visit.expectFocus('password')
    await visit.fill({ password: 'Senha2027', repeated: 'Senha2027' })
    await visit.submit()
    await visit.page.waitForSelector('button[aria-disabled=true]')
    expect(await visit.button()).toBe('Aguarde…')
    respond({ success: true, message: 'Senha alterada com sucesso.' })
    await visit.expectFocus('Senha alterada com sucesso.')

    await visit.open(page)
    await visit.fill({ email: 'ana@example.org' })
    await visit.submit()
    await visit.page.waitForSelector('button[aria-disabled=true]')
    respond({ success: true, message: 'Feito.' })
    await visit.expectFocus('Pedido recebido')
    expect(complaints).toEqual([])
  })
})
