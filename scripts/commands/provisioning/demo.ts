import { accessToken } from '../service/service-client.ts'
import changelog from './demo-changelog.json' with { type: 'json' }
import informers from './demo-informers.json' with { type: 'json' }
import demo from './demo.json' with { type: 'json' }
import reference from './reference.json' with { type: 'json' }

/** The reference data and two processes, as a document. */
export const demoDocument = { ...reference, ...demo }

/** Entries of the changelog; the last is a draft. */
export const demoChangelog = changelog

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
