import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parseSettings, settingsSchema } from '../../src/settings.ts'
import { configuredVariables, type Variables } from './configuration.ts'

const SECRETS_FILE = '.dev.vars'

/**
 * The settings of a local run, from wrangler.toml, `.dev.vars` and the shell; later sources take precedence.
 * The first run creates `.dev.vars` with a random `JWT_SECRET`.
 *
 * @throws {SettingsError} naming every invalid setting
 */
export function localVariables(): Variables {
  if (!existsSync(SECRETS_FILE)) {
    const secret = randomBytes(32).toString('base64url')
    writeFileSync(
      SECRETS_FILE,
      `# Local secrets, created by npm start. Never commit them.\nJWT_SECRET="${secret}"\n`,
      { mode: 0o600 },
    )
  }
  const known = Object.keys(settingsSchema.shape)
  const isSet = ([name, value]: [string, string | undefined]) => known.includes(name) && value !== ''
  const fromShell = Object.fromEntries(Object.entries(process.env).filter(isSet))
  const variables = {
    ...configuredVariables(),
    ...parseEnv(readFileSync(SECRETS_FILE, 'utf8')),
    ...fromShell,
  }
  parseSettings(variables)
  return variables as Variables
}
