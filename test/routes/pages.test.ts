import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { call, callJson, counting } from '../helper.ts'
import { logged } from '../logs.ts'

const SERVICE = 'https://service.example'
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const HOSTILE = `</title></p><script>alert("&amp;')</script>`
const ESCAPED = '&lt;/title&gt;&lt;/p&gt;&lt;script&gt;alert("&amp;amp;\')&lt;/script&gt;'

const PAGES = [
  ['confirmar-email', '/v1/auth/email/verify', '/v1/auth/email/resend'],
  ['redefinir-senha', '/v1/auth/password/reset', '/v1/auth/password/forgot'],
] as const

async function htmlOf(path: string, env: Record<string, string> = {}) {
  const response = await call(`${SERVICE}${path}`, { env, headers: BROWSER })
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  return response.text()
}

/** The directive that allows the content of an element by its hash. */
function sourceOf(html: string, element: string): string {
  const [, content] = new RegExp(`<${element}[^>]*>([^]*?)</${element}>`).exec(html) ?? []
  expect(content).toBeTruthy()
  const hash = createHash('sha256').update(String(content))
  return `${element}-src 'sha256-${hash.digest('base64')}'`
}

describe.each(PAGES)('GET /%s', (name, useToken, requestLink) => {
  const path = `/${name}`

  it('is a page in Portuguese that posts to the service, names no matter, and loads nothing', async () => {
    const html = await htmlOf(path)
    const valuesOf = (attributes: string) =>
      [...html.matchAll(new RegExp(` (?:${attributes})="([^"]*)"`, 'g'))].map(([, value]) => value)
    expect(html).toContain('<html lang="pt-BR">')
    expect(valuesOf('action')).toEqual([useToken, requestLink])
    expect(valuesOf('src|href')).toEqual(['data:,', path])
    expect(html).not.toMatch(/\{\{|provisão|processo|informante|bispo|segredo/i)
  })

  it('allows its own style and script alone, is not stored, not framed, and takes no round trip', async () => {
    const { binding, count } = counting()
    const env = { DB: binding, EMAIL_FROM: `${HOSTILE.replace(/[<>"]/g, '')} <a@example.org>` }
    const { headers } = await call(`${SERVICE}${path}/?utm=1`, { env })
    const html = await htmlOf(path, { OFFICE_CONTACT: HOSTILE, LOGIN_URL: 'https://a.example/' })
    expect(headers.get('Content-Security-Policy')).toBe(
      `default-src 'none'; ${sourceOf(html, 'style')}; ${sourceOf(html, 'script')}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(count.roundTrips).toBe(0)
  })

  it('has an empty field for the user name that password managers find', async () => {
    expect(await htmlOf(path)).toContain('<input name="username" autocomplete="username" hidden />')
  })

  it.each(['%23token=a_b-1', '%23token=a_b-1.', '?%23token=a_b-1', '%23token%3Da_b-1)'])(
    'is there for a link that ends with %s, which no log has',
    async (end) => {
      const { status, headers } = await call(`${SERVICE}${path}${end}`)
      expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(await htmlOf(path + end)).toBe(await htmlOf(path))
      expect(logged('info').length).toBeGreaterThan(0)
      expect(JSON.stringify(logged('info'))).not.toContain('a_b-1')
    },
  )
})

describe.each([
  ['/confirmar-email', 'Confirmar o email'],
  ['/redefinir-senha', 'Redefinir a senha'],
  ['/nada', 'Página não encontrada'],
])('the page %s', (path, title) => {
  it('bears the name of the office, and says whom to ask', async () => {
    const html = await htmlOf(path, {
      EMAIL_FROM: 'Cúria & Cia <nr@example.org>',
      OFFICE_CONTACT: ' Irmã Ana, (11) 5555-0100 ',
    })
    expect(html).toContain(`<title>${title} · Cúria &amp; Cia</title>`)
    expect(html).toContain('<p class="office">Cúria &amp; Cia</p>')
    expect(html).toMatch(
      /<footer [^>]+>Precisa de ajuda\? Fale conosco:<br \/>Irmã Ana, \(11\) 5555-0100<\/footer>/,
    )
  })

  it('bears no name, contact or login where there is none', async () => {
    for (const EMAIL_FROM of ['nr@example.org', '']) {
      const html = await htmlOf(path, { EMAIL_FROM, OFFICE_CONTACT: '', LOGIN_URL: '' })
      expect(html).toContain(`<title>${title}</title>`)
      expect(html).not.toMatch(/class="office"|<footer|class="login|·/)
    }
  })

  it('escapes what the settings say', async () => {
    const html = await htmlOf(path, {
      EMAIL_FROM: '& &lt;b&gt; <a@example.org>',
      OFFICE_CONTACT: HOSTILE,
    })
    expect(html).toContain(' · &amp; &amp;lt;b&amp;gt;</title>')
    expect(html).toContain(`<br />${ESCAPED}</footer>`)
    expect(html).not.toContain('<script>')
  })
})

it.each([
  ['https://a.example/entrar', 'https://a.example/entrar'],
  ['https://a.example/?a=1&lt;=2', 'https://a.example/?a=1&amp;lt;=2'],
  [`https://a.example/#"'><script>`, `https://a.example/#&quot;'><script>`],
])('a success leads to LOGIN_URL %s', async (LOGIN_URL, escaped) => {
  const html = await htmlOf('/redefinir-senha', { LOGIN_URL })
  expect(html).toContain(`<a class="login action" href="${escaped}">Entrar</a>`)
})

describe('GET /.well-known/change-password', () => {
  it('leads to the page of the service, and is not stored', async () => {
    const { status, headers } = await call(`${SERVICE}/.well-known/change-password`, {
      env: { PASSWORD_RESET_URL: 'https://other.example/' },
    })
    expect([status, headers.get('Location')]).toEqual([302, '/redefinir-senha'])
    expect(headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('an unknown address outside the API', () => {
  it.each([
    ['GET', '/redefinir-senha.'],
    ['GET', '/redefinir-senha)'],
    ['GET', '/v1x'],
    ['GET', '/nada', 'application/json;q=1, TEXT/HTML;level=1;q=0.1'],
    ['HEAD', '/nada'],
  ])('is a page for a browser: %s %s', async (method, path, accept = BROWSER.Accept) => {
    const response = await call(SERVICE + path, { method, headers: { Accept: accept } })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const html = await response.text()
    if (method === 'HEAD') return expect(html).toBe('')
    expect(response.headers.get('Content-Security-Policy')).toContain(sourceOf(html, 'style'))
    expect(html).toContain('href="/redefinir-senha"')
    expect(html).not.toContain('{{')
  })

  it.each([
    ['GET', '/nada', ''],
    ['GET', '/nada', '*/*'],
    ['GET', '/nada', 'text/*'],
    ['GET', '/nada', 'text/html;q=0, */*'],
    ['GET', '/nada', 'text/html;q=0.0'],
    ['GET', '/nada', 'application/json'],
    ['POST', '/nada', BROWSER.Accept],
    ['GET', '/v1', BROWSER.Accept],
    ['GET', '/v1/nada', BROWSER.Accept],
    ['GET', '/api/v1/nada', BROWSER.Accept],
    ['GET', '/api/v1', BROWSER.Accept],
  ])('is JSON for all else: %s %s, %s', async (method, path, accept) => {
    const headers = { Accept: accept }
    const { status, body } = await callJson(SERVICE + path, { method, headers })
    expect([status, body]).toEqual([404, { success: false, message: 'Recurso não encontrado.' }])
  })
})

it.each(['/redefinir-senha', '/confirmar-email', '/nada', '/.well-known/change-password'])(
  '%s has no CORS headers',
  async (path) => {
    const Origin = 'https://painel.example.org'
    const headers = { ...BROWSER, Origin, 'Access-Control-Request-Method': 'GET' }
    for (const method of ['GET', 'OPTIONS']) {
      const env = { CORS_ORIGINS: Origin }
      const response = await call(SERVICE + path, { method, headers, env })
      const names = [...response.headers.keys()]
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(response.headers.get('Vary') ?? '').not.toContain('Origin')
    }
  },
)
