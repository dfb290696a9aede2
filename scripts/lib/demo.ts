import demo from '../provisioning/demo.json' with { type: 'json' }
import reference from '../provisioning/reference.json' with { type: 'json' }

/** The demo data: reference data, two processes, and the users of the README. */
export const demoDocument = () => ({ ...reference, ...demo })

export const DEMO_PASSWORD = 'Provisao2026'

export const DEMO_ADMINISTRATOR = {
  first_name: 'Administração',
  email: 'admin@example.org',
  password: DEMO_PASSWORD,
}

/**
 * An access token of a demo user.
 *
 * @param baseUrl ends in the version, `/v1`
 */
export async function logIn(baseUrl: string, email: string): Promise<string> {
  const response = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: DEMO_PASSWORD }),
  })
  return ((await response.json()) as { data: { access_token: string } }).data.access_token
}
