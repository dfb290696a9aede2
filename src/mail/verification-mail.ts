import { html } from 'hono/html'

const SUBJECT = 'Confirme seu email'
const ASK =
  'Para confirmar que este endereço é seu, abra o link abaixo. Ele vale por 48 horas e uma única vez.'
const IGNORE = 'Se você não esperava esta mensagem, ignore-a. Por favor, não a encaminhe a ninguém.'

/** The mail that asks for an email to be confirmed. It says nothing of what the informer is consulted about. */
export function verificationMail(firstName: string, link: string) {
  return {
    subject: SUBJECT,
    text: `Olá, ${firstName}!\n\n${ASK}\n\n${link}\n\n${IGNORE}\n`,
    html: String(html`<!doctype html>
<html lang="pt-BR">
  <body style="font: 16px/1.5 sans-serif; color: #222; max-width: 34em">
    <p>Olá, ${firstName}!</p>
    <p>${ASK}</p>
    <p><a href="${link}">Confirmar meu email</a></p>
    <p style="overflow-wrap: anywhere">${link}</p>
    <p>${IGNORE}</p>
  </body>
</html>
`),
  }
}
