import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parseSettings, SettingsError, settingsSchema } from '../../src/settings.ts'
import { CONFIG, configuredVariables, type Variables } from './configuration.ts'

const SECRETS_FILE = '.dev.vars'

/**
 * The settings of a local run, from wrangler.toml, `.dev.vars` and the shell; later sources take precedence.
 * The first run creates `.dev.vars` with a random `JWT_SECRET`.
 * @param publicUrl the local address, to which emailed links lead instead of that of wrangler.toml
 * @throws naming every invalid setting and where it comes from
 */
export function localVariables(publicUrl: string): Variables {
  const isKnown = ([name, value]: [string, unknown]) => name in settingsSchema.shape && value !== ''
  const sources: Record<string, object> = {
    [CONFIG]: { ...configuredVariables(), PUBLIC_URL: publicUrl },
    [SECRETS_FILE]: parseEnv(readSecrets()),
    'the environment': Object.fromEntries(Object.entries(process.env).filter(isKnown)),
  }
  const variables = Object.assign({}, ...Object.values(sources)) as Variables
  try {
    parseSettings(variables)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    throw new Error(error.problems.map((problem) => `${problem} (${originOf(problem, sources)})`).join('\n'))
  }
  return variables
}

/** Where the setting of a problem comes from, or where it should. */
function originOf(problem: string, sources: Record<string, object>): string {
  const [name = ''] = problem.match(/[A-Z_]{2,}/) ?? []
  const source = Object.keys(sources).findLast((source) => name in (sources[source] ?? {}))
  return source ? `in ${source}` : `secrets belong in ${SECRETS_FILE}, which npm start makes anew when it is deleted`
}

function readSecrets(): string {
  try {
    if (!existsSync(SECRETS_FILE)) {
      const secret = randomBytes(32).toString('base64url')
      const text = `# Local secrets, created by npm start. Never commit them.\nJWT_SECRET="${secret}"\n`
      writeFileSync(SECRETS_FILE, text, { mode: 0o600 })
    }
    return readFileSync(SECRETS_FILE, 'utf8')
  } catch (error) {
    throw new Error(`${SECRETS_FILE} cannot be read or written (${(error as NodeJS.ErrnoException).code}).`)
  }
}
