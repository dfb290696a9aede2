import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { call, counting } from '../helper.ts'

describe.each([
  ['confirmar-email', '/v1/auth/email/verify', '/v1/auth/email/resend'],
  ['redefinir-senha', '/v1/auth/password/reset', '/v1/auth/password/forgot'],
])('GET /%s', (name, useToken, requestLink) => {
  const url = `https://service.example/${name}`

  it('is a page in Portuguese that posts to the service, names no matter, and loads nothing', async () => {
    const html = await (await call(url)).text()
    expect(html).toContain('<html lang="pt-BR">')
    expect([...html.matchAll(/ action="([^"]*)"/g)].map(([, path]) => path)).toEqual([
      useToken,
      requestLink,
    ])
    expect([...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, path]) => path)).toEqual([
      'data:,',
    ])
    expect(html).not.toMatch(/\{\{|provisão|processo|informante|bispo|segredo/i)
  })

  it('allows its own style and script alone, is not stored, not framed, and takes no round trip', async () => {
    const { binding, count } = counting()
    const { headers } = await call(`${url}/?utm=1`, { env: { DB: binding } })
    const html = await (await call(url)).text()
    const source = (element: string) => {
      const [, content = ''] = new RegExp(`<${element}[^>]*>([^]*?)</${element}>`).exec(html) ?? []
      return `${element}-src 'sha256-${createHash('sha256').update(content).digest('base64')}'`
    }
    expect(headers.get('Content-Security-Policy')).toBe(
      `default-src 'none'; ${source('style')}; ${source('script')}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(count.roundTrips).toBe(0)
  })
})
