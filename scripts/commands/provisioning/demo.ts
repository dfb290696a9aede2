import { accessToken } from '../service/service-client.ts'
import demo from './demo.json' with { type: 'json' }
import reference from './reference.json' with { type: 'json' }

/** The demo data: reference data, two processes, and the users of the README. */
export const demoDocument = () => ({ ...reference, ...demo })

export const DEMO_PASSWORD = 'Provisao2026'

export const DEMO_ADMINISTRATOR = {
  first_name: 'Administração',
  email: 'admin@example.org',
  password: DEMO_PASSWORD,
}

/** Returns an access token of a demo user. */
export const logIn = (baseUrl: string, email: string) =>
  accessToken({ baseUrl }, email, DEMO_PASSWORD)
