import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'

/** A folder with the sources that are no code, in which the assets can be built. */
function sources() {
  const { stateDir: checkout, remove } = temporaryState()
  onTestFinished(remove)
  for (const folder of ['src/pages', 'src/email', 'scripts/build/docs']) {
    cpSync(folder, join(checkout, folder), { recursive: true })
  }
  return {
    path: (name: string) => join(checkout, name),
    build: () =>
      execFileSync(process.execPath, [resolve('scripts/build/changed-assets.ts')], {
        cwd: checkout,
      }),
  }
}

/** What a browser hashes of an inline script: its text with LF (HTML, "normalize newlines"). */
function hashOf(html: string, element: string): string {
  const pattern = new RegExp(`<${element}.*?>(.*)</${element}>`, 's')
  const text = pattern.exec(html.replaceAll('\r\n', '\n'))?.[1] ?? ''
  return createHash('sha256').update(text).digest('base64')
}

it('pages built in a checkout with CRLF have the hashes that browsers accept', () => {
  const { path, build } = sources()
  for (const folder of ['src/pages', 'src/email', 'scripts/build/docs'].map(path)) {
    for (const name of readdirSync(folder)) {
      if (!/\.(html|css|js|json)$/.test(name)) continue
      const file = join(folder, name)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'))
    }
  }
  build()

  const pages = path('src/generated/pages')
  const [page = ''] = readdirSync(pages).filter((name) => name.endsWith('.html.gz.bin'))
  const html = gunzipSync(readFileSync(join(pages, page))).toString()
  const policy = readFileSync(join(pages, 'inline-sources.bin'), 'utf8')
  for (const element of ['style', 'script']) {
    expect(policy).toContain(`${element}-src 'sha256-${hashOf(html, element)}'`)
  }
})

it('assets are built again only if a source has changed', () => {
  const { path, build } = sources()
  build()
  const built = path('src/generated/pages/inline-sources.bin')
  writeFileSync(built, 'as it was')
  build()
  expect(readFileSync(built, 'utf8')).toBe('as it was')

  appendFileSync(path('src/pages/page.css'), '\n')
  build()
  expect(readFileSync(built, 'utf8')).toContain('style-src')
})
