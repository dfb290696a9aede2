import { expect, it } from 'vitest'
import { emailLink, emailPage } from '#email/messages.ts'

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
