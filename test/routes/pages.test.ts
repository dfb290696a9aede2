import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { call, callJson, counting } from '../support/helper.ts'
import { logged } from '../support/logs.ts'

const SERVICE = 'https://service.example'
const HTML = 'text/html; charset=utf-8'
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
}
const HOSTILE = `</title></p><script>alert("&amp;')</script>`
const ESCAPED = `&lt;/title&gt;&lt;/p&gt;&lt;script&gt;alert("&amp;amp;')&lt;/script&gt;`

async function htmlOf(path: string, env: Record<string, string> = {}) {
  const response = await call(SERVICE + path, { env, headers: BROWSER })
  expect(response.headers.get('Content-Type')).toBe(HTML)
  return response.text()
}

/** The directive that allows the content of an element by its hash. */
function sourceOf(html: string, element: string): string {
  const pattern = new RegExp(`<${element}[^>]*>([^]*?)</${element}>`)
  const [, content = ''] = pattern.exec(html) ?? []
  expect(content).not.toBe('')
  const hash = createHash('sha256').update(content)
  return `${element}-src 'sha256-${hash.digest('base64')}'`
}

/** The values of attributes, in order. */
function valuesOf(html: string, attributes: string) {
  const pattern = new RegExp(` (?:${attributes})="([^"]*)"`, 'g')
  return [...html.matchAll(pattern)].map(([, value]) => value)
}

describe.each([
  ['/confirmar-email', '/v1/auth/email/verify', '/v1/auth/email/resend'],
  ['/redefinir-senha', '/v1/auth/password/reset', '/v1/auth/password/forgot'],
])('GET %s', (path, useToken, requestLink) => {
  it('is a page in Portuguese that posts to the service, names no matter, and loads nothing', async () => {
    const html = await htmlOf(path)
    expect(html).toContain('<html lang="pt-BR">')
    expect(valuesOf(html, 'action')).toEqual([useToken, requestLink])
    expect(valuesOf(html, 'src|href')).toEqual(['data:,', path])
    // for password managers
    expect(html).toContain('<input name="username" autocomplete="username" hidden />')
    expect(html).not.toMatch(/\{\{|provisão|processo|informante|bispo|segredo/i)
  })

  it('allows its own style and script alone, whatever the settings say', async () => {
    const env = {
      EMAIL_FROM: 'Cúria & Cia <a@example.org>',
      OFFICE_CONTACT: HOSTILE,
      LOGIN_URL: 'https://a.example/',
    }
    const html = await htmlOf(path, env)
    const { headers } = await call(SERVICE + path, { env })
    const policy = headers.get('Content-Security-Policy')
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      sourceOf(html, 'style'),
      sourceOf(html, 'script'),
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  })

  it('is not stored, not framed, and takes no round trip', async () => {
    const { binding, count } = counting()
    const env = { DB: binding }
    const { headers } = await call(`${SERVICE}${path}/?utm=1`, { env })
    expect(headers.get('Content-Type')).toBe(HTML)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(count.roundTrips).toBe(0)
  })

  it.each([
    '%23token=a_b-1.',
    '%23token%3Da_b-1%0D%0A',
    '%23token=a_b-1%E2%80%A8)',
    '?%23token=a_b-1',
    '%20%23token=a_b-1',
    '.',
    '%0D%0A',
  ])('is there for a link that ends with %s, which no log has', async (end) => {
    const { status, headers } = await call(SERVICE + path + end)
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe(HTML)
    expect(await htmlOf(path + end)).toBe(await htmlOf(path))

    const lines = logged('info')
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain('a_b-1')
  })
})

describe.each([
  ['/confirmar-email', 'Confirmar o email'],
  ['/redefinir-senha', 'Redefinir a senha'],
  ['/nada', 'Página não encontrada'],
])('the page %s', (path, title) => {
  it('bears the name of the office, and says whom to ask, escaped', async () => {
    const html = await htmlOf(path, {
      EMAIL_FROM: '& &lt;b&gt; <a@example.org>',
      OFFICE_CONTACT: HOSTILE,
    })
    expect(html).toContain(`<title>${title} · &amp; &amp;lt;b&amp;gt;</title>`)
    expect(html).toContain('<p class="office">&amp; &amp;lt;b&amp;gt;</p>')
    expect(html).toContain(`Fale conosco:<br />${ESCAPED}</footer>`)
    expect(html).not.toContain('<script>')
  })

  it('bears no name, contact or login where there is none', async () => {
    const EMAIL_FROM = 'nr@example.org'
    const html = await htmlOf(path, { EMAIL_FROM, OFFICE_CONTACT: '', LOGIN_URL: '' })
    expect(html).toContain(`<title>${title}</title>`)
    expect(html).not.toMatch(/class="office"|<footer|class="login|·/)
  })
})

it('a success leads to LOGIN_URL, escaped', async () => {
  const html = await htmlOf('/redefinir-senha', {
    LOGIN_URL: 'https://a.example/?a=1&lt;=2',
  })
  const href = 'https://a.example/?a=1&amp;lt;=2'
  expect(html).toContain(`<a class="login action" href="${href}">Entrar</a>`)
})

it('GET /.well-known/change-password leads to the page of the service, and is not stored', async () => {
  const { status, headers } = await call(`${SERVICE}/.well-known/change-password`, {
    env: { PASSWORD_RESET_URL: 'https://other.example/' },
  })
  expect(status).toBe(302)
  expect(headers.get('Location')).toBe('/redefinir-senha')
  expect(headers.get('Cache-Control')).toBe('no-store')
})

describe('an unknown address outside the API', () => {
  it.each([
    ['/redefinir-senhas', BROWSER.Accept],
    ['/', BROWSER.Accept],
    ['/v1x', BROWSER.Accept],
    ['/nada', 'application/json;q=1, TEXT/HTML;level=1;q=0.1'],
  ])('is a page for a browser: %s, %s', async (path, Accept) => {
    const response = await call(SERVICE + path, { headers: { Accept } })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe(HTML)
    expect(response.headers.get('Cache-Control')).toBe('no-store')

    const html = await response.text()
    const policy = response.headers.get('Content-Security-Policy')
    expect(policy).toContain(sourceOf(html, 'style'))
    expect(html).toContain('href="/redefinir-senha"')
    expect(html).not.toContain('{{')
  })

  it('is a page for HEAD, too', async () => {
    const response = await call(`${SERVICE}/nada`, {
      method: 'HEAD',
      headers: BROWSER,
    })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe(HTML)
    expect(await response.text()).toBe('')
  })

  it.each([
    ['GET', '/nada', ''],
    ['GET', '/nada', '*/*'],
    ['GET', '/nada', 'text/*'],
    ['GET', '/nada', 'text/html;q=0, */*'],
    ['GET', '/nada', 'text/html;level=1;q=0.0'],
    ['GET', '/nada', 'application/json'],
    ['POST', '/nada', BROWSER.Accept],
    ['GET', '/v1', BROWSER.Accept],
    ['GET', '/v1/nada', BROWSER.Accept],
    ['GET', '/api/v1/nada', BROWSER.Accept],
    ['GET', '/api/v1', BROWSER.Accept],
  ])('is JSON for all else: %s %s, %s', async (method, path, Accept) => {
    const { status, body } = await callJson(SERVICE + path, {
      method,
      headers: { Accept },
    })
    expect(status).toBe(404)
    expect(body).toEqual({
      success: false,
      message: 'Recurso não encontrado.',
    })
  })
})

describe.each([
  '/redefinir-senha',
  '/confirmar-email',
  '/nada',
  '/.well-known/change-password',
])('%s', (path) => {
  it.each(['GET', 'OPTIONS'])('has no CORS headers for %s', async (method) => {
    const Origin = 'https://painel.example.org'
    const { headers } = await call(SERVICE + path, {
      method,
      env: { CORS_ORIGINS: Origin },
      headers: {
        ...BROWSER,
        Origin,
        'Access-Control-Request-Method': 'GET',
      },
    })
    const names = [...headers.keys()].join()
    expect(names).not.toContain('access-control-')
    expect(headers.get('Vary') ?? '').not.toContain('Origin')
  })
})

it.each(['/redefinir-senha', '/confirmar-email', '/.well-known/change-password'])(
  'OPTIONS %s is a 204 without a Content-Type',
  async (path) => {
    const { status, headers } = await call(SERVICE + path, { method: 'OPTIONS' })
    expect([status, headers.get('Content-Type')]).toEqual([204, null])
  },
)
