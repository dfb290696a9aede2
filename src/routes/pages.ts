import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import verification from '../../.wrangler/pages/confirmar-email.html.gz.bin'
import inlineSources from '../../.wrangler/pages/inline-sources.bin'
import notFound from '../../.wrangler/pages/not-found.html.gz.bin'
import passwordReset from '../../.wrangler/pages/redefinir-senha.html.gz.bin'
import type { AppEnv } from '../http/app-env.ts'
import { officeName, type Settings } from '../settings.ts'

/** Only the page's own style and script, by their hashes, and calls of this service. */
const POLICY =
  `default-src 'none'; ${new TextDecoder().decode(inlineSources)}; connect-src 'self'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
}

/**
 * The pages of emailed links (src/pages). Their script takes the token from the fragment, which
 * never gets here, unless a mail program encoded its `#`.
 */
export const pages = new Hono<AppEnv>()
  .get('/confirmar-email', (c) => pageResponse(c, verification))
  .get('/redefinir-senha', (c) => pageResponse(c, passwordReset))
  .get('/:page{confirmar-email%23.+}', (c) => pageResponse(c, verification))
  .get('/:page{redefinir-senha%23.+}', (c) => pageResponse(c, passwordReset))
  // where password managers look: https://www.w3.org/TR/change-password-url/
  .get('/.well-known/change-password', (c) => c.redirect('/redefinir-senha'))

/** The 404 page for a browser that asks for an unknown address outside the API; else undefined. */
export function notFoundPage(c: Context<AppEnv>): Response | undefined {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const isApi = /^\/(api\/)?v1(\/|$)/.test(c.req.path)
  if (isRead && !isApi && HTML_TYPE.test(c.req.header('Accept') ?? ''))
    return pageResponse(c, notFound, 404)
}

/** `text/html`, but not with a `q` of 0 (RFC 9110, 12.5.1). */
const HTML_TYPE = /\btext\/html\b(?![^,]*;\s*q=0(\.0*)?\s*(,|$))/i

/** A page with what the settings say of the office. */
function pageResponse(c: Context<AppEnv>, gzipped: ArrayBuffer, status = 200): Response {
  const html = new Blob([gzipped]).stream().pipeThrough(new DecompressionStream('gzip'))
  const response = new Response(html, { status, headers: HEADERS })
  return ofOffice(c.get('settings')).transform(response)
}

/** Fills in what is set, escaped, and removes the elements of what is not. */
function ofOffice(settings: Settings): HTMLRewriter {
  const name = officeName(settings)
  const loginUrl = settings.LOGIN_URL?.replaceAll('&', '&amp;')
  return new HTMLRewriter()
    .on('title', { element: (title) => void title.append(name ? ` · ${name}` : '') })
    .on('.office', endingWith(name))
    .on('footer', endingWith(settings.OFFICE_CONTACT))
    .on('.login', {
      element: (link) => void (loginUrl ? link.setAttribute('href', loginUrl) : link.remove()),
    })
}

const endingWith = (text: string | undefined) => ({
  element: (element: Element) => void (text ? element.append(text) : element.remove()),
})
