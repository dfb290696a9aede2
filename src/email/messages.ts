import { html } from 'hono/html'
import type { EmailKind } from '../database/schema.ts'
import { type Settings, SettingsError } from '../settings.ts'

/** They do not disclose what an informer is consulted about. */
const TEXTS = {
  verification: {
    subject: 'Confirme seu email',
    request:
      'Para confirmar que este endereço é seu, abra o link abaixo. Ele vale por 48 horas e uma única vez.',
    action: 'Confirmar meu email',
    note: 'Se você não esperava esta mensagem, ignore-a. Por favor, não a encaminhe a ninguém.',
  },
  password_reset: {
    subject: 'Redefina sua senha',
    request:
      'Para escolher uma nova senha, abra o link abaixo. Ele vale por uma hora e uma única vez.',
    action: 'Escolher uma nova senha',
    note: 'Se você não pediu uma nova senha, ignore esta mensagem: a atual continua valendo. Por favor, não a encaminhe a ninguém.',
  },
} satisfies Record<EmailKind, object>

/** The email of a kind to a person, in plain text and HTML. */
export function composeEmail(kind: EmailKind, firstName: string, link: string) {
  const { subject, request, action, note } = TEXTS[kind]
  return {
    subject,
    text: `Olá, ${firstName}!\n\n${request}\n\n${link}\n\n${note}\n`,
    html: String(html`<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>${subject}</title>
    <style>
      @media (prefers-color-scheme: dark) {
        body { background: #171413 !important }
        div { background: #25211f !important; color: #f1ece6 !important }
        .action { background: #d9c5a0 !important; color: #221a0b !important }
      }
    </style>
  </head>
  <body style="margin: 0; padding: 16px; background: #f1ece4">
    <div style="max-width: 30em; margin: auto; padding: 8px 24px; background: #fffdfa; color: #24211f; font: 18px/1.5 sans-serif">
      <p>Olá, ${firstName}!</p>
      <p>${request}</p>
      <p><a href="${link}" class="action" style="display: inline-block; padding: 14px 24px; border-radius: 4px; background: #6d2130; color: #fff; font-weight: bold; text-decoration: none">${action}</a></p>
      <p>${note}</p>
      <p style="font-size: 15px">Se o botão não funcionar, copie este endereço para o navegador:<br><a href="${link}" style="color: inherit; word-break: break-all">${link}</a></p>
    </div>
  </body>
</html>
`),
  }
}

/** The setting that names a page of the office's own, and the page of the service. */
const PAGES = {
  verification: { setting: 'EMAIL_VERIFICATION_URL', path: '/confirmar-email' },
  password_reset: { setting: 'PASSWORD_RESET_URL', path: '/redefinir-senha' },
} as const

type LinkSettings = Pick<Settings, 'PUBLIC_URL' | 'EMAIL_VERIFICATION_URL' | 'PASSWORD_RESET_URL'>

/**
 * The link of an email. Its token is in the fragment, which browsers keep to themselves, as the last parameter of one
 * that the page has already: `…/#/confirmar` becomes `…/#/confirmar?token=…`.
 * @throws {SettingsError} if no setting says where the page is
 */
export function emailLink(settings: LinkSettings, kind: EmailKind, token: string): string {
  const { setting, path } = PAGES[kind]
  const own = settings[setting]
  if (!own && !settings.PUBLIC_URL)
    throw new SettingsError(`setting PUBLIC_URL: missing, and no ${setting}`)
  const url = new URL(own || settings.PUBLIC_URL + path)
  if (url.hash) url.hash += /[?=]/.test(url.hash) ? '&' : '?'
  url.hash += `token=${token}`
  return url.href
}
