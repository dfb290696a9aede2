import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Json } from 'miniflare'
import { reasonOf } from './command-line.ts'
import {
  bindingsOf,
  CONFIG,
  readConfiguration,
  SECRETS_FILE,
  settingsProblems,
} from './configuration.ts'
import { SETTINGS_GUIDE } from './guides.ts'
import { LOOPBACK_ORIGINS, settingNames } from '#settings.ts'

export type Variables = Record<string, Json>

/**
 * The settings of a local run, from wrangler.toml, `.dev.vars` and the shell; later sources take
 * precedence. Besides the origins of wrangler.toml, front ends on this machine may call the
 * service. The first run creates `.dev.vars` with a random `JWT_SECRET`.
 * @param publicUrl the local address, to which emailed links lead instead of that of wrangler.toml
 * @throws naming every invalid setting and where it comes from
 */
export function localVariables(publicUrl: string): Variables {
  const configuration = readConfiguration()
  const { vars } = configuration
  const origins = [vars.CORS_ORIGINS, ...LOOPBACK_ORIGINS].filter(Boolean).join()
  const secrets = parseEnv(readSecrets())
  const sources: Record<string, object> = {
    [CONFIG]: { ...vars, PUBLIC_URL: publicUrl, CORS_ORIGINS: origins },
    [SECRETS_FILE]: secrets,
    'the environment': settingsOfShell(),
  }
  const variables = Object.assign({}, ...Object.values(sources)) as Variables
  const problems = [
    ...unknownSettings(Object.keys(secrets)),
    ...settingsProblems({ ...variables, ...bindingsOf(configuration) }),
  ]
  if (problems.length === 0) return variables
  throw new Error(
    problems.map((problem) => `${problem} (${originOf(problem, sources)})`).join('\n'),
  )
}

/** Returns a problem for each unknown setting: otherwise its default would silently apply. */
const unknownSettings = (names: string[]) =>
  names
    .filter((name) => !settingNames.includes(name))
    .map((name) => `setting ${name}: unknown; see ${SETTINGS_GUIDE}`)

function settingsOfShell(): object {
  const isSet = ([name, value]: [string, unknown]) =>
    settingNames.includes(name) && value !== ''
  return Object.fromEntries(Object.entries(process.env).filter(isSet))
}

/** Returns where the setting of a problem comes from. */
function originOf(problem: string, sources: Record<string, object>): string {
  const [, name = ''] = /^setting (\S+):/.exec(problem) ?? []
  const isSource = (source: string) => name in (sources[source] ?? {})
  const source = Object.keys(sources).findLast(isSource)
  return source ? `in ${source}` : `missing in ${CONFIG} and ${SECRETS_FILE}`
}

/**
 * @param database the folder of the local database
 * @throws if there are data but not the secret of their tokens and second factors
 */
export function refuseLostSecrets(database: string): void {
  if (existsSync(SECRETS_FILE) || !existsSync(database)) return
  throw new Error(
    `${SECRETS_FILE} is gone. A new JWT_SECRET would void every token and second factor of ` +
      `the data in ${database}. Put the file back, or delete the data with npm run reset.`,
  )
}

/** Creates the secrets of a local database that is about to be created. */
export function createSecrets(database: string): void {
  if (!existsSync(database)) readSecrets()
}

function readSecrets(): string {
  try {
    if (!existsSync(SECRETS_FILE)) {
      const secret = randomBytes(32).toString('base64url')
      const text = `# Local secrets. Never commit them.\nJWT_SECRET="${secret}"\n`
      writeFileSync(SECRETS_FILE, text, { mode: 0o600 })
    }
    return readFileSync(SECRETS_FILE, 'utf8').replace(/^\uFEFF/, '') // of Windows editors
  } catch (error) {
    throw new Error(`${SECRETS_FILE} cannot be read or written (${reasonOf(error)}).`)
  }
}
