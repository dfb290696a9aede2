import { type Context, Hono } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import verification from '#generated/pages/confirmar-email.html.gz.bin'
import inlineSources from '#generated/pages/inline-sources.bin'
import notFound from '#generated/pages/not-found.html.gz.bin'
import passwordReset from '#generated/pages/redefinir-senha.html.gz.bin'
import { gunzip } from '#gunzip.ts'
import { endingWith, leadingTo } from '#html.ts'
import type { AppEnv } from '#http/app-env.ts'
import { isOfApi } from '#http/request/paths.ts'
import { officeName, type Settings } from '#settings.ts'

/** Allows only the page's own style and script, by hash, and calls of this service. */
const POLICY = [
  "default-src 'none'",
  new TextDecoder().decode(inlineSources),
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
}

/**
 * The pages of emailed links (src/pages). Their script takes the token from the fragment, which is
 * never sent here, unless a mail program encoded its `#`. It may also have put something behind the
 * address.
 */
export const pages = new Hono<AppEnv>()
  .on('GET', ['/confirmar-email', '/:page{confirmar-email[^\\w/-][\\s\\S]*}'], (c) => {
    return pageResponse(c, verification)
  })
  .on('GET', ['/redefinir-senha', '/:page{redefinir-senha[^\\w/-][\\s\\S]*}'], (c) => {
    return pageResponse(c, passwordReset)
  })
  // for password managers: https://www.w3.org/TR/change-password-url/
  .get('/.well-known/change-password', (c) => {
    return c.redirect('/redefinir-senha')
  })

/**
 * Returns the 404 page for a browser that requests an unknown address outside the API; otherwise
 * undefined.
 */
export function notFoundPage(c: Context<AppEnv>): Response | undefined {
  if (acceptsHtml(c) && !isOfApi(c.req.path)) return pageResponse(c, notFound, 404)
}

/** Returns whether a browser requests a page. */
function acceptsHtml({ req }: Context): boolean {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const accepted = parseAccept(req.header('Accept') ?? '')
  return isRead && accepted.some(({ type, q }) => q > 0 && /^text\/html$/i.test(type))
}

/** Responds with a page that has the office's settings. */
function pageResponse(c: Context<AppEnv>, gzipped: ArrayBuffer, status = 200): Response {
  const response = new Response(gunzip(gzipped), { status, headers: HEADERS })
  return ofOffice(c.get('settings')).transform(response)
}

/** Fills in settings, escaped, and removes the elements of unset ones. */
function ofOffice(settings: Settings): HTMLRewriter {
  const name = officeName(settings)
  const rewriter = new HTMLRewriter()

  rewriter.on('title', {
    element(title) {
      if (name) title.append(` · ${name}`)
    },
  })
  rewriter.on('.office', endingWith(name))
  rewriter.on('footer', endingWith(settings.OFFICE_CONTACT))
  rewriter.on('.login', leadingTo(settings.LOGIN_URL))
  return rewriter
}
