import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import {
  CONFIG,
  type Configuration,
  PLACEHOLDER_ID,
  rawConfiguration,
  readConfiguration,
  SECRETS_FILE,
} from './configuration.ts'
import { DEPLOY_GUIDE, SETTINGS_GUIDE } from './guides.ts'
import { settingNames } from '#settings.ts'

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
  return settingNames.includes(name) ? null : `unknown; see ${SETTINGS_GUIDE}`
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

/** The targets of emailed links, if not PUBLIC_URL. */
const OWN_PAGES = ['EMAIL_VERIFICATION_URL', 'PASSWORD_RESET_URL']
const EXAMPLE = /[@./]example\.(com|net|org)\b/i

/** A link with a valid token must never lead to a foreign host. */
const address = (remedy: string) =>
  z
    .string(`missing; ${remedy}`)
    .min(1, `missing; ${remedy}`)
    .refine((text) => !EXAMPLE.test(text), `has an example host; ${remedy}`)
    .refine((text) => !/^\s*http:/i.test(text), 'must begin with https:')

/** What a deployment needs beside. An environment shares no data or counts with production. */
function deployed({ vars, send_email }: Configuration, production?: Configuration) {
  const ownPages = OWN_PAGES.filter((name) => vars[name])
  const usesPublicUrl = ownPages.length < OWN_PAGES.length
  const ofEmails = ['EMAIL_FROM', ...(usesPublicUrl ? ['PUBLIC_URL'] : []), ...ownPages]
  const ownAddress = address('set your own, or remove [[send_email]]')
  const addresses =
    send_email.length > 0 ? ofEmails.map((name) => [name, ownAddress]) : []

  const databaseIds = production?.d1_databases.map(({ database_id }) => database_id)
  const namespaceIds = production?.ratelimits.map(({ namespace_id }) => namespace_id)
  const own = (ids: unknown[] = []) =>
    z.string().refine((id) => !ids.includes(id), 'the same as of production')

  return z.object({
    vars: z.object({
      ...Object.fromEntries(addresses),
      ...(vars.LOGIN_URL ? { LOGIN_URL: address('set your own') } : {}),
      CORS_ORIGINS: z
        .string()
        .optional()
        .refine(
          (origins) => production || !/http:/i.test(origins ?? ''),
          'an origin of production must begin with https:',
        ),
    }),
    d1_databases: z.array(
      z.object({
        database_id: own(databaseIds).refine(
          (id) => id !== PLACEHOLDER_ID,
          `a placeholder; see ${DEPLOY_GUIDE}`,
        ),
      }),
    ),
    ratelimits: z.array(z.object({ namespace_id: own(namespaceIds) })),
  })
}

/**
 * Returns the problems of wrangler.toml, for production or an environment, apart from the values of
 * settings, which the Worker checks itself.
 * @param isDeployed whether it is for a deployment, which needs more than a local run
 */
export function configurationProblems(env = '', isDeployed = false): string[] {
  const written = rawConfiguration()
  const own = readConfiguration(env)
  const production = env ? readConfiguration() : undefined
  const place = env ? ['env', env] : []
  return [
    ...problemsOf(knownKeys, written),
    ...problemsOf(allVariables, written),
    ...problemsOf(worker, own, place),
    ...(isDeployed ? problemsOf(deployed(own, production), own, place) : []),
  ]
}

function problemsOf(schema: z.ZodType, value: unknown, place: string[] = []): string[] {
  const { error } = schema.safeParse(value, {
    error: ({ code, expected }) =>
      code === 'invalid_type'
        ? `must be of type ${expected}`
        : 'not as wrangler takes it',
  })
  const problem = (path: PropertyKey[], message: string) =>
    `${CONFIG}: ${z.core.toDotPath([...place, ...path])}: ${message}`
  const problems = error?.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => problem([...issue.path, key], 'unknown here'))
      : problem(issue.path, issue.message),
  )
  return problems ?? []
}
