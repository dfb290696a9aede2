import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'

/** What a browser hashes of an inline script: its text with LF (HTML, "normalize newlines"). */
function hashOf(html: string, element: string): string {
  const pattern = new RegExp(`<${element}.*?>(.*)</${element}>`, 's')
  const text = pattern.exec(html.replaceAll('\r\n', '\n'))?.[1] ?? ''
  return createHash('sha256').update(text).digest('base64')
}

it('pages built in a checkout with CRLF have the hashes that browsers accept', () => {
  const { stateDir: checkout, remove } = temporaryState()
  onTestFinished(remove)
  for (const folder of ['src/pages', 'src/email', 'scripts/build/docs']) {
    cpSync(folder, join(checkout, folder), { recursive: true })
    for (const name of readdirSync(folder)) {
      if (!/\.(html|css|js|json)$/.test(name)) continue
      const path = join(checkout, folder, name)
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
    }
  }
  const assets = resolve('scripts/build/assets.ts')
  execFileSync(process.execPath, [assets], { cwd: checkout })

  const pages = join(checkout, 'src/generated/pages')
  const [page = ''] = readdirSync(pages).filter((name) => name.endsWith('.html.gz.bin'))
  const html = gunzipSync(readFileSync(join(pages, page))).toString()
  const policy = readFileSync(join(pages, 'inline-sources.bin'), 'utf8')
  for (const element of ['style', 'script']) {
    expect(policy).toContain(`${element}-src 'sha256-${hashOf(html, element)}'`)
  }
})
