import { parseSettings, SettingsError } from '../../src/settings.ts'
import { deployedDatabaseId, readConfiguration } from './configuration.ts'

/** Where emailed links lead, if not to PUBLIC_URL. One with a valid token must never lead to a foreign host. */
const OWN_PAGES = ['EMAIL_VERIFICATION_URL', 'PASSWORD_RESET_URL']
const EXAMPLE = /[@./]example\.(com|net|org)\b/

/** In place of the deployed secret, which cannot be read back. */
const ANY_SECRET = { JWT_SECRET: 'x'.repeat(32) }

/**
 * Checks what wrangler.toml deploys.
 *
 * @returns the id of the database
 * @throws with a line for each problem
 */
export function checkDeployment(): string {
  const { vars, send_email } = readConfiguration()
  let databaseId = ''
  const problems = [
    ...problemsOf(() => {
      databaseId = deployedDatabaseId()
    }),
    ...problemsOf(() => parseSettings({ ...vars, ...ANY_SECRET })),
    ...(send_email.length > 0 ? emailProblems(vars) : []),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return databaseId
}

function problemsOf(check: () => unknown): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    return error instanceof SettingsError ? error.problems : [(error as Error).message]
  }
}

function emailProblems(vars: Record<string, unknown>): string[] {
  const remedy = 'set your own, or remove [[send_email]]'
  const ownPages = OWN_PAGES.filter((name) => vars[name])
  const used = ['EMAIL_FROM', ...(ownPages.length < OWN_PAGES.length ? ['PUBLIC_URL'] : []), ...ownPages]
  return used.flatMap((name) => {
    const value = String(vars[name] ?? '')
    if (value === '') return `setting ${name}: missing; ${remedy}`
    if (EXAMPLE.test(value)) return `setting ${name}: has an example host; ${remedy}`
    return value.startsWith('http:') ? `setting ${name}: must begin with https:` : []
  })
}
