// Type-checked and run beside a client that generated-client.test.ts generates; so it is no part of
// tsconfig.json.
import { client } from './client/client.gen'
import type { Cover, CreatedInformer } from './client/index'
import * as api from './client/index'

/** Logs in, reads, and shows errors by field, with the types of the client. Returns what it saw. */
export async function journey(baseUrl: string, password: string) {
  client.setConfig({ baseUrl })
  const logIn = async (email: string) => {
    const { data } = await api.login({ body: { email, password }, throwOnError: true })
    const token: string = data.data.access_token
    return () => token
  }

  const ofAna = await api.readCover({
    auth: await logIn('ana@example.org'),
    throwOnError: true,
  })
  const cover: Cover = ofAna.data.data

  const auth = await logIn('admin@example.org')
  const forbidden = await api.readCover({ auth })
  const invalid = await api.createInformer({ auth, body: { first_name: '' } })
  const texts: string[] | undefined =
    invalid.error && 'errors' in invalid.error ? invalid.error.errors.first_name : []
  const body = { first_name: 'Lúcia', last_name: 'Prado', phone: null }
  const created = await api.createInformer({ auth, body, throwOnError: true })
  const informer: CreatedInformer = created.data.data

  return {
    cover: cover.informer.full_name,
    forbidden: forbidden.error?.message,
    texts,
    initials: informer.initials,
  }
}
