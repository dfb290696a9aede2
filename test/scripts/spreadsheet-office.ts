import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

/** A demo service, and an office that works on it with files. */
export function spreadsheetOffice() {
  const service = demoService()
  const folder = mkdtempSync(join(tmpdir(), 'spreadsheets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const env = () => ({ ACCESS_TOKEN: service.token })

  /** The path of a file with a content. */
  function fileOf(content: string | Uint8Array, name = 'informers.csv'): string {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  const importFile = (
    content: string | Uint8Array,
    options: string[] = [],
    baseUrl = service.baseUrl,
  ) =>
    runInProcess('informers-import', [baseUrl, fileOf(content), ...options], {
      env: env(),
    })

  const runExport = (...options: string[]) =>
    runInProcess('informers-export', [service.baseUrl, ...options], { env: env() })

  /** Calls the service as the administrator, and returns its data. */
  async function call(method: string, path: string, body?: object) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    // oxlint-disable-next-line no-explicit-any -- tests check the shape
    const { data } = (await response.json()) as { data: any }
    return data
  }

  /** The informers with a text in their name, email or CPF. */
  const find = (text: string) =>
    call('GET', `/informers?per_page=100&search=${encodeURIComponent(text)}`)

  return { service, folder, fileOf, importFile, runExport, call, find }
}
