import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

  function importFile(content: string | Uint8Array, ...options: string[]) {
    const args = [service.baseUrl, fileOf(content), ...options]
    return runInProcess('informers-import', args, { env: env() })
  }

  /** What the import prints of people, without the counts. */
  async function linesOf(
    content: string | Uint8Array,
    ...options: string[]
  ): Promise<string[]> {
    const { stdout } = await importFile(content, ...options)
    return stdout.split('\n').filter((line) => line.startsWith('linha '))
  }

  const runExport = (...options: string[]) =>
    runInProcess('informers-export', [service.baseUrl, ...options], { env: env() })

  /** Runs a line in a shell. */
  async function shell(line: string) {
    const child = spawn('sh', ['-c', line], { env: { ...process.env, ...env() } })
    const output = [child.stdout, child.stderr].map(async (stream) =>
      Buffer.concat(await Array.fromAsync(stream)).toString(),
    )
    const [code] = await once(child, 'close')
    const [stdout, stderr] = await Promise.all(output)
    return { code, stdout, stderr }
  }

  /** The rows of an export, each by its headings. */
  async function exportRows(...options: string[]) {
    const { stdout } = await runExport(...options)
    const [headings = [], ...rows] = stdout
      .replace('\uFEFF', '')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.slice(1, -1).split('";"'))
    return rows.map(
      (cells) =>
        Object.fromEntries(
          headings.map((heading, at) => [heading, cells[at] ?? '']),
        ) as Record<string, string>,
    )
  }

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

  const create = (fields: object) => call('POST', '/informers', fields)
  const read = (id: string) => call('GET', `/informers/${id}`)
  const change = (id: string, fields: object) => call('PATCH', `/informers/${id}`, fields)
  const remove = (id: string) => call('DELETE', `/informers/${id}`)

  /** The informers with a text in their name, email or CPF. */
  const find = (text: string) =>
    call('GET', `/informers?per_page=100&search=${encodeURIComponent(text)}`)

  return {
    service,
    folder,
    fileOf,
    importFile,
    linesOf,
    runExport,
    exportRows,
    shell,
    call,
    create,
    read,
    change,
    remove,
    find,
  }
}

/**
 * A CSV of rows, of which the first are the headings. What is left out at the end of a row is
 * blank.
 */
export const csv = (headings: string[], ...rows: (string | undefined)[][]) =>
  [headings, ...rows]
    .map((cells) => headings.map((_, at) => `"${cells[at] ?? ''}"`).join(';'))
    .join('\n')
