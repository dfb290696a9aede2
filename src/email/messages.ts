import { html } from 'hono/html'
import textsFile from '../../.wrangler/pages/emails.json.bin'
import type { EmailKind, LinkKind } from '../database/schema.ts'
import { type Settings, SettingsError } from '../settings.ts'
import type kinds from './texts.json'

type Kind = keyof typeof kinds

type Texts = {
  subject: string
  /** Begins the HTML: what the list of a mail program shows of it. */
  summary: string
  reason: string
  request: string
  action?: string
  note: string
}

/** They do not disclose what an informer is consulted about. */
const TEXTS = parseTexts()

function parseTexts() {
  const json = new TextDecoder().decode(textsFile)
  return JSON.parse(json) as Record<Kind, Texts> // src/email/texts.json
}

/** What an email says, and to whom. */
export type EmailContent = {
  kind: Kind
  first_name: string
  treatment_pronoun: string | null
  /** Where the kinds that ask for something lead to. */
  link?: string
  /** The page of the link, where one gets another. */
  page?: string
  /** The signature. */
  office?: string | undefined
  /** Whom to ask. */
  contact?: string | undefined
}

const OTHER_LINK = 'Se o link já não valer, peça outro nesta página:'

/** The email in plain text and HTML. */
export function composeEmail(content: EmailContent) {
  const { link, page, office, contact } = content
  const texts = TEXTS[content.kind]
  const { subject, summary, reason, request, note } = texts

  const before = [salutation(content), reason, request]
  const links = link ? [link, `${OTHER_LINK}\n${page}`] : []
  const help = contact && `Precisa de ajuda? Fale conosco: ${contact}`
  const after = [note, office, help].filter(Boolean)
  return {
    subject,
    text: `${[...before, ...links, ...after].join('\n\n')}\n`,
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
  <body style="${BODY_STYLE}">
    <div style="${PAPER_STYLE}">
      ${[summary, ...before].map(paragraph)}
      ${link && linkParagraphs(content, texts)}
      ${after.map(paragraph)}
    </div>
  </body>
</html>
`),
  }
}

/** `Dom Antônio,`; a pronoun such as `Vossa Eminência` takes the place of the name. */
function salutation({ first_name, treatment_pronoun }: EmailContent): string {
  if (!treatment_pronoun) return `Prezado(a) ${first_name},`
  if (/^vossa\b/i.test(treatment_pronoun)) return `${treatment_pronoun},`
  return `${treatment_pronoun} ${first_name},`
}

const BODY_STYLE = 'margin: 0; padding: 16px; background: #f1ece4'
const PAPER_STYLE = [
  'max-width: 30em',
  'margin: auto',
  'padding: 8px 24px',
  'background: #fffdfa',
  'color: #24211f',
  'font: 18px/1.5 sans-serif',
].join('; ')
const ACTION_STYLE = [
  'display: inline-block',
  'padding: 14px 24px',
  'border-radius: 4px',
  'background: #6d2130',
  'color: #fff',
  'font-weight: bold',
  'text-decoration: none',
].join('; ')
const ADDRESS_STYLE = 'color: inherit; word-break: break-all'

function paragraph(text: string | undefined) {
  return html`<p>${text}</p>
`
}

/** The link as a button and as text, and where to get another. */
function linkParagraphs({ link, page }: EmailContent, { action }: Texts) {
  return html`
      <p>
        <a href="${link}" class="action" style="${ACTION_STYLE}">${action}</a>
      </p>
      <p>
        Se o botão não funcionar, copie este endereço para o navegador:<br>
        ${address(link)}
      </p>
      <p>
        ${OTHER_LINK}<br>
        ${address(page)}
      </p>
`
}

function address(url: string | undefined) {
  return html`<a href="${url}" style="${ADDRESS_STYLE}">${url}</a>`
}

/** The setting that names a page of the office's own, and the page of the service. */
const PAGES = {
  verification: {
    setting: 'EMAIL_VERIFICATION_URL',
    path: '/confirmar-email',
  },
  password_reset: {
    setting: 'PASSWORD_RESET_URL',
    path: '/redefinir-senha',
  },
} as const

/** Whether emails of a kind have a link. */
export const hasLink = (kind: EmailKind): kind is LinkKind => kind in PAGES

type LinkSettings = Pick<
  Settings,
  'PUBLIC_URL' | 'EMAIL_VERIFICATION_URL' | 'PASSWORD_RESET_URL'
>

/**
 * The page that an email leads to.
 * @throws {SettingsError} if no setting says where it is
 */
export function emailPage(settings: LinkSettings, kind: LinkKind): string {
  const { setting, path } = PAGES[kind]
  const own = settings[setting]
  if (own) return own
  if (!settings.PUBLIC_URL) {
    throw new SettingsError(`setting PUBLIC_URL: missing, and no ${setting}`)
  }
  return settings.PUBLIC_URL + path
}

/**
 * The link of an email. Its token is in the fragment, which browsers keep to themselves, as the
 * last parameter of one that the page has already: `…/#/confirmar` becomes
 * `…/#/confirmar?token=…`.
 * @throws {SettingsError} if no setting says where the page is
 */
export function emailLink(settings: LinkSettings, kind: LinkKind, token: string): string {
  const url = new URL(emailPage(settings, kind))
  if (url.hash) url.hash += /[?=]/.test(url.hash) ? '&' : '?'
  url.hash += `token=${token}`
  return url.href
}
