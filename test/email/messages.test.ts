import { describe, expect, it } from 'vitest'
import { composeEmail } from '../../src/email/messages.ts'

const LINK = 'https://example.org/page#a=1&token=abc_-1'

describe.each([
  [
    'verification',
    'Confirme seu email',
    'Ele vale por 48 horas e uma única vez.',
    'Confirmar meu email',
  ],
  [
    'password_reset',
    'Redefina sua senha',
    'Ele vale por uma hora e uma única vez.',
    'Escolher uma nova senha',
  ],
] as const)('the email of kind %s', (kind, subject, lifetime, action) => {
  const message = composeEmail(kind, 'Ana', LINK)

  it('says what it is for, how long its link is valid, not to pass it on, and no more', () => {
    expect(message.subject).toBe(subject)
    for (const text of [message.text, message.html])
      for (const part of ['Olá, Ana!', lifetime, 'não a encaminhe a ninguém'])
        expect(text).toContain(part)
    expect(message.text + message.html).not.toMatch(/provisão|processo|grupo|segredo|informante/i)
  })

  it('has its link as text, and behind its action', () => {
    const escaped = LINK.replaceAll('&', '&amp;')
    expect(message.text.split('\n')).toContain(LINK)
    expect(message.html).toMatch(new RegExp(`<a href="${escaped}" [^>]+>${action}</a>`))
    expect(message.html).toContain(`>${escaped}<`)
  })

  it('escapes a name in HTML alone', () => {
    const { text, html } = composeEmail(kind, '<b>"Ana" & Co', LINK)
    expect(text).toContain('Olá, <b>"Ana" & Co!')
    expect(html).toContain('Olá, &lt;b&gt;&quot;Ana&quot; &amp; Co!')
    expect(html).not.toContain('<b>')
  })
})
