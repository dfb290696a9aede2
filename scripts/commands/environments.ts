import { readConfiguration } from '../lib/configuration.ts'

/**
 * What keeps an environment of wrangler.toml from being deployed: bindings that it does not have,
 * because it inherits none, and those that it shares with production, its data or counted attempts.
 */
export function environmentProblems(env: string): string[] {
  const own = idsByBinding(env)
  return [...idsByBinding()].flatMap(([name, id]) => {
    if (!own.has(name)) return `binding ${name}: missing in the environment ${env}`
    const isShared = id !== undefined && own.get(name) === id
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
