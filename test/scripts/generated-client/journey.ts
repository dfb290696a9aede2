// Type-checked and run beside a client that generated-client.test.ts generates; so it is no part of tsconfig.json.
import { client } from './client/client.gen'
import type { ChangelogEntry, Cover, Informer } from './client/index'
import * as api from './client/index'

/** Calls every operation like an office and its informers, and returns the results to compare. */
export async function journey(baseUrl: string, password: string) {
  const called = new Set<string>()
  client.setConfig({ baseUrl })
  client.interceptors.request.use((request, { url }) => {
    called.add(`${request.method} ${url}`)
    return request
  })
  const logIn = async (email: string) => {
    const { data } = await api.login({ body: { email, password }, throwOnError: true })
    const token: string = data.data.access_token
    return () => token
  }

  const health = await api.readHealth()
  const categories = await api.listCategories({ query: { search: 'conego', active: true } })
  const inactive = await api.listCategories({ query: { active: false } })
  const dioceses = await api.listDioceses({ query: { state: 'AC', per_page: 1 } })
  const pronouns = await api.listTreatmentPronouns()

  const auth = await logIn('admin@example.org')
  const created = await api.createInformer({
    auth,
    body: { first_name: 'Lúcia', last_name: 'Prado', diocese_id: dioceses.data?.data[0]?.id ?? null },
    throwOnError: true,
  })
  const informer = created.data.data
  const list = (data: { data: Informer[] } | undefined) => data?.data.map(({ initials }) => initials)
  const invalid = await api.createInformer({ auth, body: { first_name: '' } })
  const texts: string[] | undefined =
    invalid.error && 'errors' in invalid.error ? invalid.error.errors.first_name : []

  const found = await api.listInformers({ auth, query: { search: 'prado', per_page: 1 } })
  const ofInformer = { informer: informer.id }
  const renamed = await api.updateInformer({
    auth,
    path: ofInformer,
    body: { last_name: 'Reis', phone: null },
  })
  const processes = await api.listProcesses({ auth, throwOnError: true })
  const group = processes.data.data.flatMap(({ groups }) => groups).find((each) => each.questionnaires[0])
  const inGroup = { auth, path: { ...ofInformer, group: group?.id ?? '' } }
  const answering = { auth, path: { ...ofInformer, questionnaire: group?.questionnaires[0]?.id ?? '' } }
  const associated = await api.associateGroup(inGroup)
  const completed = await api.completeQuestionnaire(answering)
  const reopened = await api.reopenQuestionnaire(answering)
  const dissociated = await api.dissociateGroup(inGroup)
  const kept = await api.readInformer({ auth, path: ofInformer })
  const removed = await api.deleteInformer({ auth, path: ofInformer })

  const draft = {
    version: 'v9.0.0',
    date: '2026-01-31',
    title: 'Um',
    description: 'Dois',
    category: 'Melhoria' as const,
  }
  const { data } = await api.createChangelog({ auth, body: draft, throwOnError: true })
  const path = { changelog: data.data.id }
  const drafts = await api.listChangelogs({ auth, query: { is_published: false, version: 'v9.0.0' } })
  const published = await api.updateChangelog({
    auth,
    path,
    body: { is_published: true },
    throwOnError: true,
  })
  const entry: ChangelogEntry = published.data.data
  const read = await api.readChangelog({ path })
  const deleted = await api.deleteChangelog({ auth, path })
  const publication = await api.publishChangelogs({ auth, body: { version: 'v9.9.9' } })
  const commit = { hash: 'ba7b0f3ba671', message: 'feat: busca', date: '2026-01-31T12:00:00Z' }
  const synced = await api.syncFromGit({ auth, body: { commits: [commit] } })
  const events = await api.listAuditEvents({ auth, query: { action: 'informer.created' } })

  const ofAna = await api.readCover({ auth: await logIn('ana@example.org'), throwOnError: true })
  const cover: Cover = ofAna.data.data
  const forbidden = await api.readCover({ auth })
  const verified = await api.verifyEmail({ body: { token: 'unknown' } })
  const resent = await api.resendEmail({ body: { email: 'nobody@example.org' } })

  const forgotten = await api.forgotPassword({ body: { email: 'nobody@example.org' } })
  const reset = await api.resetPassword({ body: { token: 'unknown', password } })
  const change = { current_password: password, password: `${password}x` }
  const changed = await api.changePassword({ auth, body: change, throwOnError: true })
  const ended = await api.logout({ auth: () => changed.data.data.access_token })

  return {
    called: [...called],
    health: health.data?.data.status,
    categories: categories.data?.data.map(({ name }) => name),
    inactive: inactive.data?.pagination.total,
    state: dioceses.data?.data[0]?.state,
    pronouns: pronouns.data?.data.length,
    initials: informer.initials,
    texts,
    found: list(found.data),
    renamed: renamed.data?.data.full_name,
    pairs: [associated, completed, reopened, dissociated, kept].map(
      ({ data }) => data?.data.processes_groups.length,
    ),
    removed: removed.data?.message,
    drafts: drafts.data?.data.map(({ title }) => title),
    isPublished: entry.is_published,
    read: read.data?.data.id === entry.id,
    deleted: deleted.data?.message,
    published: publication.data && 'published' in publication.data.data && publication.data.data.published,
    imported: synced.data?.data.imported,
    recorded: events.data?.data.map(({ subject_id }) => subject_id === informer.id),
    cover: cover.informer.full_name,
    forbidden: forbidden.error?.message,
    verified: verified.response?.status,
    resent: resent.response?.status,
    forgotten: forgotten.response?.status,
    reset: reset.response?.status,
    ended: ended.data?.message,
  }
}
