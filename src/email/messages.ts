import { html } from 'hono/html'
import type { EmailKind } from '../database/schema.ts'

type Message = { subject: string; text: string; html: string }

const VERIFICATION = {
  subject: 'Confirme seu email',
  request:
    'Para confirmar que este endereço é seu, abra o link abaixo. Ele vale por 48 horas e uma única vez.',
  action: 'Confirmar meu email',
  note: 'Se você não esperava esta mensagem, ignore-a. Por favor, não a encaminhe a ninguém.',
}

const PASSWORD_RESET = {
  subject: 'Redefina sua senha',
  request: 'Para escolher uma nova senha, abra o link abaixo. Ele vale por uma hora e uma única vez.',
  action: 'Escolher uma nova senha',
  note: 'Se você não pediu uma nova senha, ignore esta mensagem: a atual continua valendo. Por favor, não a encaminhe a ninguém.',
}

/** Messages by kind. They do not disclose what an informer is consulted about. */
export const messages: Record<EmailKind, (firstName: string, link: string) => Message> = {
  verification: (firstName, link) => compose(VERIFICATION, firstName, link),
  password_reset: (firstName, link) => compose(PASSWORD_RESET, firstName, link),
}

function compose(texts: typeof VERIFICATION, firstName: string, link: string): Message {
  const { subject, request, action, note } = texts
  return {
    subject,
    text: `Olá, ${firstName}!\n\n${request}\n\n${link}\n\n${note}\n`,
    html: String(html`<!doctype html>
<html lang="pt-BR">
  <body style="font: 16px/1.5 sans-serif; color: #222; max-width: 34em">
    <p>Olá, ${firstName}!</p>
    <p>${request}</p>
    <p><a href="${link}">${action}</a></p>
    <p style="overflow-wrap: anywhere">${link}</p>
    <p>${note}</p>
  </body>
</html>
`),
  }
}
