import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import {
  bindingsOf,
  CONFIG,
  type Configuration,
  PLACEHOLDER_ID,
  rawConfiguration,
  readConfiguration,
  SECRETS_FILE,
} from './configuration.ts'
import { DEPLOY_GUIDE, SETTINGS_GUIDE } from './guides.ts'
import { settingNames } from '#settings.ts'

/** Wrangler's own schema. Wrangler ignores unknown keys, such as `routes` below a `[table]`. */
const { resolve } = createRequire(import.meta.url)
const file = join(dirname(resolve('wrangler/package.json')), 'config-schema.json')
const knownKeys = z.fromJSONSchema(JSON.parse(readFileSync(file, 'utf8')))

const SECRETS = ['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'GIT_TOKEN']

/** The bindings of the Worker. EMAIL alone may be missing. */
const BINDINGS = [
  'DB',
  'EMAIL',
  'VERSION',
  'LOGIN_IDENTIFIER_LIMIT',
  'LOGIN_NETWORK_LIMIT',
  'TOKEN_NETWORK_LIMIT',
  'GIT_IMPORT_LIMIT',
]

const EVERY_MINUTE = '* * * * *'

/** The targets of emailed links, if not PUBLIC_URL. */
const OWN_PAGES = ['EMAIL_VERIFICATION_URL', 'PASSWORD_RESET_URL']
const EXAMPLE = /[@./]example\.(com|net|org)\b/i

type Problems = Generator<[path: string, problem: string]>

/**
 * Returns the problems of wrangler.toml, for production or an environment, apart from the values of
 * settings, which the Worker checks itself.
 * @param isDeployed whether it is for a deployment, which needs more than a local run
 */
export function configurationProblems(env = '', isDeployed = false): string[] {
  const configuration = readConfiguration(env)
  const production = env ? readConfiguration() : undefined
  const ofEnvironment = [
    ...problemsOfWorker(configuration),
    ...(isDeployed ? problemsOfDeployment(configuration, production) : []),
  ]
  const place = env && `env.${env}: `
  return [
    ...problemsOfKeys(),
    ...ofEnvironment.map(([path, problem]) => `${place}${path}: ${problem}`),
  ].map((problem) => `${CONFIG}: ${problem}`)
}

function problemsOfKeys(): string[] {
  const issues = knownKeys.safeParse(rawConfiguration()).error?.issues ?? []
  return issues.map(({ path, message }) =>
    [z.core.toDotPath(path), message].filter(Boolean).join(': '),
  )
}

/** What the Worker needs wherever it runs. */
function* problemsOfWorker(configuration: Configuration): Problems {
  const { vars, triggers, d1_databases } = configuration
  for (const name of Object.keys(vars)) {
    if (SECRETS.includes(name)) {
      yield [
        `vars.${name}`,
        'a secret, which every reader of the repository could see; remove it, and set another ' +
          `value with npm run wrangler -- secret put ${name}; locally it belongs in ${SECRETS_FILE}`,
      ]
    } else if (!settingNames.includes(name)) {
      yield [`vars.${name}`, `unknown; see ${SETTINGS_GUIDE}`]
    }
  }

  const bound = Object.keys(bindingsOf(configuration))
  for (const name of BINDINGS) {
    if (name === 'EMAIL' || bound.includes(name)) continue
    yield [`binding ${name}`, 'missing']
  }
  for (const name of bound) {
    if (BINDINGS.includes(name)) continue
    yield [`binding ${name}`, `unknown; the service has ${BINDINGS.join(', ')}`]
  }

  if (!triggers.crons?.includes(EVERY_MINUTE)) {
    yield [
      'triggers.crons',
      `must have "${EVERY_MINUTE}", which sends emails and deletes what has expired`,
    ]
  }
  for (const { preview_database_id } of d1_databases) {
    if (preview_database_id === undefined) {
      yield ['binding DB', 'has no preview_database_id, which names the local database']
    }
  }
}

/** What a deployment needs beside. An environment shares no data with production. */
function* problemsOfDeployment(
  { vars, send_email, d1_databases }: Configuration,
  production?: Configuration,
): Problems {
  const ownPages = OWN_PAGES.filter((name) => vars[name])
  const usesPublicUrl = ownPages.length < OWN_PAGES.length
  const ofEmails = ['EMAIL_FROM', ...(usesPublicUrl ? ['PUBLIC_URL'] : []), ...ownPages]
  for (const name of send_email.length > 0 ? ofEmails : []) {
    yield* problemsOfAddress(name, vars, 'set your own, or remove [[send_email]]')
  }
  if (vars.LOGIN_URL) yield* problemsOfAddress('LOGIN_URL', vars, 'set your own')
  if (!production && /http:/i.test(String(vars.CORS_ORIGINS))) {
    yield ['vars.CORS_ORIGINS', 'an origin of production must begin with https:']
  }

  const databaseIds = production?.d1_databases.map(({ database_id }) => database_id)
  for (const { database_id } of d1_databases) {
    const isId = z.guid().safeParse(database_id).success
    if (!isId || database_id === PLACEHOLDER_ID) {
      yield ['binding DB', `has a placeholder for its database_id; see ${DEPLOY_GUIDE}`]
    } else if (databaseIds?.includes(database_id)) {
      yield ['binding DB', 'has the database_id of production']
    }
  }
}

/** A link with a valid token must never lead to a foreign host. */
function* problemsOfAddress(
  name: string,
  vars: Configuration['vars'],
  remedy: string,
): Problems {
  const address = String(vars[name] ?? '')
  if (address === '') {
    yield [`vars.${name}`, `missing; ${remedy}`]
  } else if (EXAMPLE.test(address)) {
    yield [`vars.${name}`, `has an example host; ${remedy}`]
  } else if (/^\s*http:/i.test(address)) {
    yield [`vars.${name}`, 'must begin with https:']
  }
}
