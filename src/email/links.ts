import type { EmailKind } from '../database/schema.ts'
import { type Settings, SettingsError } from '../settings.ts'

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
  if (!own && !settings.PUBLIC_URL) throw new SettingsError(`setting PUBLIC_URL: missing, and no ${setting}`)
  const url = new URL(own || settings.PUBLIC_URL + path)
  if (url.hash) url.hash += /[?=]/.test(url.hash) ? '&' : '?'
  url.hash += `token=${token}`
  return url.href
}
