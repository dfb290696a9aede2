import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Unstable_Config } from 'wrangler'
import * as z from 'zod'
import {
  CONFIG,
  PLACEHOLDER_ID,
  rawConfiguration,
  readConfiguration,
  SECRETS_FILE,
} from './configuration.ts'
import { DEPLOY_GUIDE, SETTINGS_GUIDE } from './guides.ts'
import { settingsSchema } from '#settings.ts'

type Configuration = Pick<
  Unstable_Config,
  'vars' | 'send_email' | 'd1_databases' | 'ratelimits'
>

const SECRETS = ['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'GIT_TOKEN']

/** Wrangler's own schema. Wrangler ignores unknown keys, such as `routes` below a `[table]`. */
const { resolve } = createRequire(import.meta.url)
const file = join(dirname(resolve('wrangler/package.json')), 'config-schema.json')
const knownKeys = z.fromJSONSchema(JSON.parse(readFileSync(file, 'utf8')))

const variables = z
  .looseObject({})
  .superRefine((values, context) => {
    for (const name of Object.keys(values)) {
      const message = problemOfVariable(name)
      if (message) context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .optional()

function problemOfVariable(name: string): string | null {
  if (SECRETS.includes(name)) {
    return (
      'a secret, which every reader of the repository could see; remove it, and set another ' +
      `value with npm run wrangler -- secret put ${name}; locally it belongs in ${SECRETS_FILE}`
    )
  }
  return name in settingsSchema.shape ? null : `unknown; see ${SETTINGS_GUIDE}`
}

const allVariables = z.looseObject({
  vars: variables,
  env: z.record(z.string(), z.looseObject({ vars: variables })).optional(),
})

const RATE_LIMITS = [
  'LOGIN_IDENTIFIER_LIMIT',
  'LOGIN_NETWORK_LIMIT',
  'TOKEN_NETWORK_LIMIT',
  'GIT_IMPORT_LIMIT',
]
const EVERY_MINUTE = '* * * * *'
const CRONS = `must have "${EVERY_MINUTE}", which sends emails and deletes what has expired`

const database = z.looseObject({
  binding: z.string(),
  database_id: z.guid(`must be the UUID that d1 create prints; see ${DEPLOY_GUIDE}`),
  preview_database_id: z.string('missing; it names the local database'),
})
const rateLimit = z.looseObject({ name: z.string(), namespace_id: z.string() })

/** What the Worker needs of production or an environment, wherever it runs. */
const worker = z.object({
  triggers: z.object({
    crons: z
      .array(z.string(), CRONS)
      .refine((crons) => crons.includes(EVERY_MINUTE), CRONS),
  }),
  version_metadata: z.object({ binding: z.literal('VERSION') }, 'must bind VERSION'),
  d1_databases: z
    .array(database)
    .refine((rows) => rows.some(({ binding }) => binding === 'DB'), 'must bind DB'),
  ratelimits: z.array(rateLimit).superRefine((rows, context) => {
    for (const missing of RATE_LIMITS) {
      if (rows.some(({ name }) => name === missing)) continue
      context.addIssue({ code: 'custom', message: `must bind ${missing}` })
    }
    for (const [at, { namespace_id }] of rows.entries()) {
      const first = rows.findIndex((row) => row.namespace_id === namespace_id)
      if (first === at) continue
      const message = `the same as of ${rows[first]?.name}, so attempts count twice`
      context.addIssue({ code: 'custom', path: [at, 'namespace_id'], message })
    }
  }),
})

type Problem = [path: PropertyKey[], message: string]

const deployed = (configuration: Configuration, production: Configuration | null) =>
  z.unknown().superRefine((_, context) => {
    const problems: Problem[] = [
      ...databaseProblems(configuration),
      ...(production ? sharedIds(configuration, production) : []),
      ...(production ? [] : originProblems(configuration)),
      ...addressProblems(configuration),
    ]
    for (const [path, message] of problems) {
      context.addIssue({ code: 'custom', path, message })
    }
  })

const databaseProblems = ({ d1_databases }: Configuration) =>
  d1_databases.flatMap(({ database_id }, at): Problem[] =>
    database_id === PLACEHOLDER_ID
      ? [[['d1_databases', at, 'database_id'], `a placeholder; see ${DEPLOY_GUIDE}`]]
      : [],
  )

/** An environment must share neither data nor counted attempts with production. */
function sharedIds(own: Configuration, production: Configuration): Problem[] {
  const message = 'the same as of production'
  const isDatabase = (id?: string) =>
    production.d1_databases.some(({ database_id }) => database_id === id)
  const isNamespace = (id: string) =>
    production.ratelimits.some(({ namespace_id }) => namespace_id === id)
  return [
    ...own.d1_databases.flatMap(({ database_id }, at): Problem[] =>
      isDatabase(database_id) ? [[['d1_databases', at, 'database_id'], message]] : [],
    ),
    ...own.ratelimits.flatMap(({ namespace_id }, at): Problem[] =>
      isNamespace(namespace_id) ? [[['ratelimits', at, 'namespace_id'], message]] : [],
    ),
  ]
}

const originProblems = ({ vars }: Configuration): Problem[] =>
  /\bhttp:/.test(String(vars.CORS_ORIGINS))
    ? [[['vars', 'CORS_ORIGINS'], 'an origin of production must begin with https:']]
    : []

/**
 * The targets of emailed links, if not PUBLIC_URL. A link with a valid token must never lead to a
 * foreign host.
 */
const OWN_PAGES = ['EMAIL_VERIFICATION_URL', 'PASSWORD_RESET_URL']
const EXAMPLE = /[@./]example\.(com|net|org)\b/

function addressProblems({ vars, send_email }: Configuration): Problem[] {
  const ownPages = OWN_PAGES.filter((name) => vars[name])
  const usesPublicUrl = ownPages.length < OWN_PAGES.length
  const used = ['EMAIL_FROM', ...(usesPublicUrl ? ['PUBLIC_URL'] : []), ...ownPages]
  return [
    ...(send_email.length > 0 ? used : []).flatMap((name) =>
      addressProblem(name, vars, 'set your own, or remove [[send_email]]'),
    ),
    ...(vars.LOGIN_URL ? addressProblem('LOGIN_URL', vars, 'set your own') : []),
  ]
}

function addressProblem(
  name: string,
  vars: Record<string, unknown>,
  remedy: string,
): Problem[] {
  const value = String(vars[name] ?? '')
  if (value === '') return [[['vars', name], `missing; ${remedy}`]]
  if (EXAMPLE.test(value)) return [[['vars', name], `has an example host; ${remedy}`]]
  return value.startsWith('http:') ? [[['vars', name], 'must begin with https:']] : []
}

/**
 * Returns the problems of wrangler.toml, for production or an environment, apart from the values of
 * settings, which the Worker checks itself.
 * @param isDeployed whether it is for a deployment, which needs more than a local run
 */
export function configurationProblems(env?: string, isDeployed = false): string[] {
  const own = readConfiguration(env)
  const production = env === undefined ? null : readConfiguration()
  const ofTarget = isDeployed ? z.intersection(worker, deployed(own, production)) : worker
  return [
    ...problemsOf(knownKeys, rawConfiguration()),
    ...problemsOf(allVariables, rawConfiguration()),
    ...problemsOf(ofTarget, own, env === undefined ? [] : ['env', env]),
  ]
}

function problemsOf(schema: z.ZodType, value: unknown, place: string[] = []): string[] {
  const { error } = schema.safeParse(value, {
    error: ({ code, expected }) =>
      code === 'invalid_type'
        ? `must be of type ${expected}`
        : 'not as wrangler takes it',
  })
  const problems = error?.issues.flatMap((issue): Problem[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [[...issue.path, key], 'unknown here'])
      : [[issue.path, issue.message]],
  )
  return (problems ?? []).map(
    ([path, message]) =>
      `${CONFIG}: ${z.core.toDotPath([...place, ...path])}: ${message}`,
  )
}
