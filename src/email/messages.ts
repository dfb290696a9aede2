import allTexts from './texts.json' with { type: 'json' }
import type { EmailKind, LinkKind } from '#database/schema/emails.ts'
import template from '#generated/pages/email.html.bin'
import { endingWith, leadingTo } from '#html.ts'
import { type Settings, SettingsError } from '#settings.ts'

/** Kinds by their texts, which do not disclose the subject of a consultation. */
type Kind = keyof typeof allTexts

/** The content of an email. */
export type EmailContent = {
  kind: Kind
  /** Null if the salutation must name nobody. */
  first_name: string | null
  treatment_pronoun: string | null
  /** The link, in emails that require an action. */
  link?: string
  /** The page where the recipient gets another link. */
  page?: string
  /** The signature. */
  office?: string | undefined
  /** The office's contact. */
  contact?: string | undefined
}

const OTHER_LINK = 'Se o link já não valer, peça outro nesta página:'

/** Composes an email in plain text and HTML. */
export async function composeEmail(content: EmailContent) {
  const { link, page, office, contact } = content
  const texts = allTexts[content.kind]
  const { subject, reason, request, note } = texts

  const salutation = salutationOf(content)
  const help = contact && `Precisa de ajuda? Fale conosco: ${contact}`
  const links = link ? [link, `${OTHER_LINK}\n${page}`] : []
  const parts = [salutation, reason, request, ...links, note, office, help]
  return {
    subject,
    text: `${parts.filter(Boolean).join('\n\n')}\n`,
    html: await htmlOf({ ...texts, salutation, office, help }, { link, page }),
  }
}

/** Fills texts and links into the elements of src/email/email.html named after them. */
function htmlOf(
  texts: Record<string, string | undefined>,
  { link, page }: Pick<EmailContent, 'link' | 'page'>,
): Promise<string> {
  const rewriter = new HTMLRewriter()
  for (const [name, text] of Object.entries({ ...texts, link, page })) {
    rewriter.on(`.${name}`, endingWith(text))
  }
  rewriter.on('.action, .link', leadingTo(link))
  rewriter.on('.page', leadingTo(page))
  if (!link) rewriter.on('.links', endingWith(undefined))
  return rewriter.transform(new Response(template)).text()
}

/** Returns `Dom Antônio,`; a pronoun such as `Vossa Eminência` replaces the name. */
function salutationOf({ first_name, treatment_pronoun }: EmailContent): string {
  if (first_name === null) return 'Prezado(a),'
  if (!treatment_pronoun) return `Prezado(a) ${first_name},`
  if (/^vossa\b/i.test(treatment_pronoun)) return `${treatment_pronoun},`
  return `${treatment_pronoun} ${first_name},`
}

/** The setting for an office's own page, and the service's page. */
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

/** Returns whether emails of a kind have a link. */
export const hasLink = (kind: EmailKind): kind is LinkKind => kind in PAGES

type LinkSettings = Pick<
  Settings,
  'PUBLIC_URL' | 'EMAIL_VERIFICATION_URL' | 'PASSWORD_RESET_URL'
>

/**
 * The page that an email leads to.
 * @throws {SettingsError} if no setting gives its address
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
 * Returns the link of an email. Its token is in the fragment, which browsers do not send, after any
 * parameter that the page already has: `…/#/confirmar` becomes `…/#/confirmar?token=…`.
 * @throws {SettingsError} if no setting gives the page's address
 */
export function emailLink(settings: LinkSettings, kind: LinkKind, token: string): string {
  const url = new URL(emailPage(settings, kind))
  if (url.hash) url.hash += /[?=]/.test(url.hash) ? '&' : '?'
  url.hash += `token=${token}`
  return url.href
}
