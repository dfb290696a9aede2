import { CONFIG, rawConfiguration, readConfiguration } from './configuration.ts'

/** The bindings that the Worker requires; `EMAIL` is optional. */
const BINDINGS = [
  'DB',
  'LOGIN_IDENTIFIER_LIMIT',
  'LOGIN_NETWORK_LIMIT',
  'LOGIN_SITE_LIMIT',
  'TOKEN_NETWORK_LIMIT',
  'GIT_IMPORT_LIMIT',
  'VERSION',
]

/** Keys that wrangler reads before the others. */
const STRUCTURAL_KEYS = ['$schema', 'env']

/** Returns the problems of wrangler.toml, or of one of its environments, apart from settings. */
export function configurationProblems(env?: string): string[] {
  return [...unknownKeys(), ...bindingProblems(env)]
}

/** Finds unknown keys, which wrangler ignores. */
function unknownKeys(): string[] {
  const known = [...Object.keys(readConfiguration()), ...STRUCTURAL_KEYS]
  const unknown = Object.keys(rawConfiguration()).filter((key) => !known.includes(key))
  return unknown.map((key) => `key ${key}: unknown`)
}

/**
 * Finds missing and shared bindings: an environment inherits none, and must share neither data nor
 * counted attempts.
 */
function bindingProblems(env?: string): string[] {
  const production = idsByBinding()
  const own = idsByBinding(env)
  const place = env === undefined ? CONFIG : `the environment ${env}`
  return BINDINGS.flatMap((name) => {
    if (!own.has(name)) return `binding ${name}: missing in ${place}`
    const id = own.get(name)
    const isShared = env !== undefined && id !== undefined && id === production.get(name)
    return isShared
      ? `binding ${name}: production has the same id; ${env} needs its own`
      : []
  })
}

function idsByBinding(env?: string): Map<string, string | undefined> {
  const { d1_databases, ratelimits, version_metadata } = readConfiguration(env)
  const ids = new Map<string, string | undefined>()
  for (const { binding, database_id } of d1_databases) {
    ids.set(binding, database_id)
  }
  for (const { name, namespace_id } of ratelimits) {
    ids.set(name, namespace_id)
  }
  return version_metadata ? ids.set(version_metadata.binding, undefined) : ids
}
