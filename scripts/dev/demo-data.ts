import * as z from 'zod/mini'
import { applyDocument } from '../commands/provisioning/apply.ts'
import {
  demoChangelog,
  demoDocument,
  demoInformers,
} from '../commands/provisioning/demo.ts'
import { type Process, readProcesses } from '../commands/service/processes.ts'
import type { Service } from '../commands/service/service-call.ts'
import { create, readList, send } from '../commands/service/service-client.ts'

const withId = z.object({ id: z.string() })
const knownInformer = z.object({ id: z.string(), email: z.nullable(z.string()) })
/** Creates the demo data through the API, like any others. May be interrupted and repeated. */
export async function createDemoData(service: Service): Promise<void> {
  const { refusals } = await applyDocument(service, demoDocument)
  if (refusals.length > 0) {
    throw new Error(`the demo data are refused:\n${refusals.join('\n')}`)
  }
  const entries = await readList(service, '/changelogs', z.object({ title: z.string() }))
  for (const entry of demoChangelog) {
    const isKnown = entries.some(({ title }) => title === entry.title)
    if (!isKnown) await create(service, '/changelogs', entry)
  }
  const processes = await readProcesses(service)
  const known = await readList(service, '/informers', knownInformer)
  for (const informer of demoInformers) {
    const id = known.find(({ email }) => email === informer.email)?.id
    await createInformer(service, informer, processes, id)
  }
}

async function createInformer(
  service: Service,
  { groups: memberships, ...person }: (typeof demoInformers)[number],
  processes: Process[],
  knownId: string | undefined,
): Promise<void> {
  const groups = memberships.map(({ protocol, group: name }) => {
    const ofProcess = processes.find((one) => one.protocol === protocol)?.groups
    return ofProcess?.find((group) => group.name === name)
  })
  const body = { ...person, group_ids: groups.map((group) => group?.id) }
  const id = knownId ?? (await create(service, '/informers', body, withId)).id

  for (const [at, { completed }] of memberships.entries()) {
    const questionnaires = groups[at]?.questionnaires ?? []
    const done = questionnaires.filter(({ title }) => completed.includes(title))
    for (const questionnaire of done) {
      await send(service, 'PUT', `/informers/${id}/questionnaires/${questionnaire.id}`)
    }
  }
}
