import { spawnSync } from 'node:child_process'
import { readConfiguration } from './configuration.ts'

const API = process.env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4'
const BY_HAND =
  'In the dashboard: Storage & databases, D1, the database, Settings, Enable Read Replication. Until then every read goes to the primary.'

type Replication = { read_replication?: { mode: 'auto' | 'disabled' } }

/**
 * Enables read replication if it is off, so that reads are served near the client. It is documented for the REST API
 * only (https://developers.cloudflare.com/api/resources/d1/subresources/database).
 *
 * @returns a message to print
 */
export async function enableReadReplication(databaseId: string): Promise<string> {
  try {
    const token = readToken()
    const path = `/accounts/${await accountId(token)}/d1/database/${databaseId}`
    const { read_replication } = await callApi<Replication>(token, 'GET', path)
    if (read_replication?.mode === 'auto') return 'Read replication is on.'
    await callApi(token, 'PUT', path, { read_replication: { mode: 'auto' } })
    return 'Read replication was off and is on now.'
  } catch (error) {
    return `Read replication was not checked: ${(error as Error).message}. ${BY_HAND}`
  }
}

/** The token of wrangler, from the environment or its login. */
function readToken(): string {
  const env = { ...process.env, WRANGLER_LOG: 'log' } // a lower level would hide the result
  const { stdout } = spawnSync('wrangler', ['auth', 'token', '--json'], { encoding: 'utf8', env })
  const { token } = JSON.parse(stdout || '{}') as { token?: string }
  if (!token) throw new Error('wrangler has no token')
  return token
}

/** The account that wrangler deploys to: the configured one, or the only one. */
async function accountId(token: string): Promise<string> {
  const configured = process.env.CLOUDFLARE_ACCOUNT_ID ?? readConfiguration().account_id
  if (configured) return configured
  const [account, ...others] = await callApi<{ id: string }[]>(token, 'GET', '/accounts')
  if (!account || others.length > 0) throw new Error('CLOUDFLARE_ACCOUNT_ID is not set')
  return account.id
}

async function callApi<Result>(token: string, method: string, path: string, body?: object): Promise<Result> {
  const response = await fetch(API + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return ((await response.json()) as { result: Result }).result
}
