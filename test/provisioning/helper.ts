import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { applyDocument } from '../../scripts/commands/provisioning/apply.ts'
import {
  DocumentError,
  parseDocument,
} from '../../scripts/commands/provisioning/document.ts'
import { administratorToken, BASE, call } from '../support/helper.ts'

/** The requests that write, as `POST /v1/categories`. */
export const writes: string[] = []

let interruption: (() => Promise<unknown>) | undefined

/** Lets somebody else act once the next command has read what is there. */
export function beforeFirstWrite(act: () => Promise<unknown>): void {
  interruption = act
}

/** Sends what commands fetch to the Worker of this test. */
export function serveCommands(): void {
  interruption = undefined
  vi.stubGlobal('fetch', async ({ url, method, headers, body }: Request) => {
    if (method !== 'GET') {
      writes.push(`${method} ${new URL(url).pathname}`)
      const act = interruption
      interruption = undefined
      await act?.()
    }
    headers.delete('Content-Type') // which call adds
    return call(url, {
      method,
      headers: Object.fromEntries(headers),
      ...(body && { body: await new Response(body).text() }),
    })
  })
}

type Contents = Record<string, Record<string, unknown>[]>

/** Every row of every table of the service. */
export async function contents(): Promise<Contents> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'",
  ).all<{ name: string }>()
  const rows = await env.DB.batch<Record<string, unknown>>(
    results.map(({ name }) => env.DB.prepare(`select * from ${name}`)),
  )
  return Object.fromEntries(
    results.map(({ name }, index) => [name, rows[index]?.results ?? []]),
  )
}

/** Applies a document as an administrator. */
export async function apply(document: unknown, dryRun = false) {
  const service = { baseUrl: BASE, token: await administratorToken() }
  const report = await applyDocument(service, parseDocument(document), dryRun)
  return { ...report, counts: Object.fromEntries(report.counts) }
}

/** Applies an invalid document and expects that nothing is sent. */
export async function problemsOf(document: unknown): Promise<string[]> {
  writes.length = 0
  const error = await apply(document).catch((error) => error)
  expect(error).toBeInstanceOf(DocumentError)
  expect(writes).toEqual([])
  return error.problems
}
