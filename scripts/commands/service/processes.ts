import * as z from 'zod/mini'
import type { Service } from './service-call.ts'
import { readList } from './service-client.ts'

const form = z.object({
  id: z.string(),
  protocol: z.string(),
  groups: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      questionnaires: z.array(z.object({ id: z.string(), title: z.string() })),
    }),
  ),
})

export type Process = z.infer<typeof form>

/** Reads every process with its groups and questionnaires. */
export const readProcesses = (service: Service): Promise<Process[]> =>
  readList(service, '/processes', form)
