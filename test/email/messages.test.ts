import { describe, expect, it } from 'vitest'
import { composeEmail, type EmailContent, emailLink, emailPage } from '#email/messages.ts'

const LINK = 'https://example.org/page?a=1&b=2#token=abc_-1'
const PAGE = 'https://example.org/page?a=1&b=2'
const WITH_LINK = { link: LINK, page: PAGE }

type Overrides = Partial<EmailContent> & Pick<EmailContent, 'kind'>

/** An email as it is composed for Dom Antônio. */
function compose(content: Overrides) {
  return composeEmail({
    first_name: 'Antônio',
    treatment_pronoun: 'Dom',
    ...content,
  })
}

/** What is read of HTML, line by line. */
function linesOf(html: string): string[] {
  const body = html.replace(/^[^]*<body[^>]*>/, '')
  const text = body.replace(/<[^>]+>/g, '')
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter(Boolean)
}

describe.each([
  ['verification', 'Confirme seu email', WITH_LINK],
  ['password_reset', 'Redefina sua senha', WITH_LINK],
  ['password_changed', 'A sua senha foi alterada', {}],
  ['email_changed', 'O seu email foi alterado', {}],
] as const)('the email of kind %s', async (kind, subject, links) => {
  const message = await compose({
    kind,
    ...links,
    office: 'Cúria',
    contact: '(11) 5555-0100',
  })
  const lines = linesOf(message.html)
  const both = [message.text, lines.join('\n')]

  it('has its subject, says why it comes, and nothing of the matter', () => {
    expect(message.subject).toBe(subject)
    for (const text of both) {
      expect(text).toMatch(/Você recebe esta mensagem porque .+cadastro\./)
      expect(text).not.toMatch(/provisão|processo|grupo|segredo|informante|consulta/i)
      expect(text).not.toMatch(/undefined|null|false/)
    }
  })

  it('begins with the salutation, in HTML after a line that says what it is', () => {
    expect(message.text).toMatch(/^Dom Antônio,\n\n/)
    expect(lines[0]).toMatch(/senha|endereço|email/)
    expect(lines[1]).toBe('Dom Antônio,')
  })

  it('ends with the name of the office and whom to ask', () => {
    const end = /\nCúria\n+Precisa de ajuda\? Fale conosco: \(11\) 5555-0100\n?$/
    for (const text of both) {
      expect(text).toMatch(end)
    }
  })

  it('has no signature where neither is set', async () => {
    const { text, html } = await compose({ kind, ...links })
    expect(text + html).not.toMatch(/Precisa de ajuda|Cúria|undefined/)
  })

  it('says the same in HTML as in plain text', () => {
    const html = lines.join('\n').replaceAll('&amp;', '&')
    for (const line of message.text.split('\n')) {
      expect(html).toContain(line)
    }
  })

  it.each<[string | null, string]>([
    ['Dom', 'Dom Antônio,'],
    ['Monsenhor', 'Monsenhor Antônio,'],
    ['Vossa Excelência Reverendíssima', 'Vossa Excelência Reverendíssima,'],
    ['Vossos', 'Vossos Antônio,'],
    [null, 'Prezado(a) Antônio,'],
  ])('greets with the treatment pronoun %s', async (treatment_pronoun, salutation) => {
    const { text, html } = await compose({ kind, ...links, treatment_pronoun })
    expect(text.split('\n')[0]).toBe(salutation)
    expect(linesOf(html)[1]).toBe(salutation)
  })

  it('escapes what is filled in, in HTML alone', async () => {
    const hostile = `<b>"A" & 'B'`
    const { text, html } = await compose({
      kind,
      ...links,
      first_name: hostile,
      treatment_pronoun: hostile,
      office: hostile,
      contact: hostile,
    })
    const escaped = `&lt;b&gt;"A" &amp; 'B'`
    expect(text.split(hostile)).toHaveLength(5)
    expect(html.split(escaped)).toHaveLength(5)
    expect(html).not.toContain('<b>')
  })
})

describe.each([
  [
    'verification',
    '48 horas',
    'Confirmar meu email',
    /Se você ainda não tem senha, .+ vai pedir/,
  ],
  ['password_reset', 'uma hora', 'Escolher uma nova senha', /vai pedir .+ nova senha/],
] as const)('the email of kind %s', async (kind, lifetime, action, password) => {
  const { text, html } = await compose({ kind, ...WITH_LINK })

  it('says how long its link is valid, that a password is asked for, and not to pass it on', () => {
    for (const part of [text, html]) {
      expect(part).toContain(`Ele vale por ${lifetime} e uma única vez.`)
      expect(part).toMatch(password)
      expect(part).toContain('não a encaminhe a ninguém')
    }
  })

  it('has its link, and the page of another, as text and as links', () => {
    const lines = text.split('\n')
    expect(lines).toContain(LINK)
    expect(lines).toContain(PAGE)

    const matches = [...html.matchAll(/<a\s[^>]*href="([^"]+)"[^>]*>([^<]+)</g)]
    const links = matches.map(([, href, words]) => [href, words])
    const [link, page] = [LINK, PAGE].map((url) => url.replaceAll('&', '&amp;'))
    expect(links).toEqual([
      [link, action],
      [link, link],
      [page, page],
    ])
  })
})

it.each([
  'password_changed',
  'email_changed',
  'second_factor_enabled',
  'second_factor_disabled',
  'password_used',
] as const)('the email of kind %s has no link, and says what to do', async (kind) => {
  const { text, html } = await compose({ kind })
  expect(text + html).not.toMatch(/<a |http|link/)
  expect(text).toMatch(/Se não (sabia|foi), .*quanto antes/)
})

const PUBLIC_URL = 'https://api.diocese.br'

it.each([
  [`${PUBLIC_URL}/redefinir-senha`, '#token=t', ''],
  ['https://a.br/x?lang=pt', '#token=t'],
  ['https://a.br/x#', 'token=t'],
  ['https://a.br/#/confirmar', '?token=t'],
  ['https://a.br/#/confirmar?lang=pt', '&token=t'],
  ['https://a.br/#lang=pt', '&token=t'],
  ['https://a.br/#a#b', '?token=t'],
])(
  'emailLink leads to %s with %s, which is read as documented',
  (page, added, PASSWORD_RESET_URL = page) => {
    const link = emailLink({ PUBLIC_URL, PASSWORD_RESET_URL }, 'password_reset', 't')
    expect(link).toBe(page + added)
    expect(
      new URLSearchParams(new URL(link).hash.replace(/^#(.*\?)?/, '')).get('token'),
    ).toBe('t')
  },
)

it('emailLink leads a verification to a page of its own, and names the setting that is missing', () => {
  const EMAIL_VERIFICATION_URL = 'https://a.br/x'
  expect(emailLink({ PUBLIC_URL }, 'verification', 't')).toBe(
    `${PUBLIC_URL}/confirmar-email#token=t`,
  )
  expect(emailLink({ EMAIL_VERIFICATION_URL }, 'verification', 't')).toBe(
    'https://a.br/x#token=t',
  )
  expect(() => emailLink({ EMAIL_VERIFICATION_URL }, 'password_reset', 't')).toThrow(
    'setting PUBLIC_URL: missing, and no PASSWORD_RESET_URL',
  )
})

it('emailPage is the page of a link, where one gets another', () => {
  const PASSWORD_RESET_URL = 'https://a.br/x#/redefinir'
  expect(emailPage({ PUBLIC_URL }, 'password_reset')).toBe(
    `${PUBLIC_URL}/redefinir-senha`,
  )
  expect(emailPage({ PUBLIC_URL }, 'verification')).toBe(`${PUBLIC_URL}/confirmar-email`)
  expect(emailPage({ PUBLIC_URL, PASSWORD_RESET_URL }, 'password_reset')).toBe(
    PASSWORD_RESET_URL,
  )
})
