import { describe, expect, it } from 'vitest'
import { composeEmail, type EmailContent } from '../../src/email/messages.ts'

const LINK = 'https://example.org/page?a=1&b=2#token=abc_-1'
const PAGE = 'https://example.org/page?a=1&b=2'

/** An email as it is composed for Dom Antônio. */
const compose = (content: Partial<EmailContent> & Pick<EmailContent, 'kind'>) =>
  composeEmail({ first_name: 'Antônio', treatment_pronoun: 'Dom', ...content })

/** What is read of HTML, line by line. */
const linesOf = (html: string) =>
  html
    .replace(/^[^]*<body[^>]*>|<[^>]+>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const withLink = { link: LINK, page: PAGE }

describe.each([
  ['verification', 'Confirme seu email', withLink],
  ['password_reset', 'Redefina sua senha', withLink],
  ['password_changed', 'A sua senha foi alterada', {}],
  ['email_changed', 'O seu email foi alterado', {}],
] as const)('the email of kind %s', (kind, subject, links) => {
  const message = compose({ kind, ...links, office: 'Cúria', contact: '(11) 5555-0100' })
  const both = [message.text, linesOf(message.html).join('\n')]

  it('has its subject, says why it comes, and nothing of the matter', () => {
    expect(message.subject).toBe(subject)
    for (const text of both) expect(text).toMatch(/Você recebe esta mensagem porque .+cadastro\./)
    expect(message.text + message.html).not.toMatch(
      /provisão|processo|grupo|segredo|informante|consulta|Antônio [A-Z]|undefined|null|false/i,
    )
  })

  it('begins with the salutation, in HTML after a line that says what it is', () => {
    expect(message.text).toMatch(/^Dom Antônio,\n\n/)
    const [summary, salutation] = linesOf(message.html)
    expect(summary).toMatch(/senha|endereço|email/)
    expect(salutation).toBe('Dom Antônio,')
  })

  it('ends with the name of the office and whom to ask, where they are set', () => {
    for (const text of both)
      expect(text).toMatch(/\nCúria\n+Precisa de ajuda\? Fale conosco: \(11\) 5555-0100\n?$/)
    const bare = compose({ kind, ...links })
    for (const text of [bare.text, bare.html]) expect(text).not.toMatch(/Precisa de ajuda|Cúria/)
  })

  it('says the same in HTML as in plain text', () => {
    const html = linesOf(message.html).join('\n').replaceAll('&amp;', '&')
    for (const line of message.text.split('\n')) expect(html).toContain(line)
  })

  it.each<[string | null, string]>([
    ['Dom', 'Dom Antônio,'],
    ['Monsenhor', 'Monsenhor Antônio,'],
    ['Vossa Excelência Reverendíssima', 'Vossa Excelência Reverendíssima,'],
    ['Vossos', 'Vossos Antônio,'],
    [null, 'Prezado(a) Antônio,'],
  ])('greets with the treatment pronoun %s', (treatment_pronoun, salutation) => {
    const { text, html } = compose({ kind, ...links, treatment_pronoun })
    expect(text.split('\n')[0]).toBe(salutation)
    expect(linesOf(html)[1]).toBe(salutation)
  })

  it('escapes what is filled in, in HTML alone', () => {
    const hostile = `<b>"A" & 'B'`
    const filled = {
      first_name: hostile,
      treatment_pronoun: hostile,
      office: hostile,
      contact: hostile,
    }
    const { text, html } = compose({ kind, ...links, ...filled })
    expect(text.split(hostile)).toHaveLength(5)
    expect(html.split('&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;')).toHaveLength(5)
    expect(html).not.toContain('<b>')
  })
})

describe.each([
  ['verification', '48 horas', 'Confirmar meu email', /ainda não tem senha, a página vai pedir/],
  ['password_reset', 'uma hora', 'Escolher uma nova senha', /A página vai pedir .+ nova senha/],
] as const)('the email of kind %s', (kind, lifetime, action, password) => {
  const { text, html } = compose({ kind, ...withLink })

  it('says how long its link is valid, that a password is asked for, and not to pass it on', () => {
    for (const part of [text, html]) {
      expect(part).toContain(`Ele vale por ${lifetime} e uma única vez.`)
      expect(part).toMatch(password)
      expect(part).toContain('não a encaminhe a ninguém')
    }
  })

  it('has its link, and the page of another, as text and as links', () => {
    for (const url of [LINK, PAGE]) expect(text.split('\n')).toContain(url)
    const hrefs = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
    const escaped = (url: string) => url.replaceAll('&', '&amp;')
    expect(hrefs).toEqual([LINK, LINK, PAGE].map(escaped))
    expect(html).toMatch(new RegExp(`<a href="[^"]+" class="action" [^>]+>${action}</a>`))
    for (const url of [LINK, PAGE]) expect(html).toContain(`>${escaped(url)}</a>`)
  })
})

it.each(['password_changed', 'email_changed'] as const)(
  'the email of kind %s has no link',
  (kind) => {
    const { text, html } = compose({ kind })
    expect(text + html).not.toMatch(/<a |http|link/)
    expect(text).toContain('Se não sabia, avise quanto antes')
  },
)
