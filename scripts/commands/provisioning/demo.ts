import { accessToken } from '../service/service-client.ts'
import informers from './demo-informers.json' with { type: 'json' }
import demo from './demo.json' with { type: 'json' }
import reference from './reference.json' with { type: 'json' }

/** The demo data as a document: reference data, two processes, the administrator, a changelog. */
export const demoDocument = () => ({ ...reference, ...demo })

type DemoInformer = {
  first_name: string
  last_name: string
  email: string
  password: string
  groups: { protocol: string; group: string; completed: string[] }[]
}

/** The informers of the README. */
export const demoInformers: DemoInformer[] = informers

export const DEMO_PASSWORD = 'Provisao2026'

export const DEMO_ADMINISTRATOR = {
  first_name: 'Administração',
  email: 'admin@example.org',
  password: DEMO_PASSWORD,
}

/** Returns an access token of a demo user. */
export const logIn = (baseUrl: string, email: string) =>
  accessToken({ baseUrl }, email, DEMO_PASSWORD)
