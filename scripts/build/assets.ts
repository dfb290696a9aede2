import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { commonPasswords } from '../lib/common-passwords.ts'
import { openApiDocument } from './openapi/document.ts'

// Generates the data that the Worker imports as bytes, which are not parsed at startup: the
// documentation, the pages, the form of emails and the common passwords.

const GENERATED = join('src', 'generated')

const VIEWER = dirname(
  createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'),
)
const docsFile = (name: string) => readFileSync(join('scripts', 'build', 'docs', name))
const viewerFile = (name: string) => readFileSync(join(VIEWER, name))
/** With the line ends that browsers hash, also in a checkout with CRLF. */
const pageFile = (name: string) =>
  readFileSync(join('src', 'pages', name), 'utf8').replaceAll('\r\n', '\n')

for (const name of ['docs', 'pages', 'passwords']) {
  mkdirSync(join(GENERATED, name), { recursive: true })
}

writeCompressed('docs', {
  'openapi.json': JSON.stringify(openApiDocument()),
  'index.html': docsFile('index.html'),
  'start.js': docsFile('start.js'),
  'styles.css': Buffer.concat([viewerFile('swagger-ui.css'), docsFile('page.css')]),
  'swagger-ui-bundle.js': viewerFile('swagger-ui-bundle.js'),
})

const pages: Record<string, string> = {}
for (const [name, texts] of Object.entries(textsOfPages())) {
  pages[`${name}.html`] = page('page.html', { name, ...texts })
}
const [anyPage = ''] = Object.values(pages)
write('inline-sources.bin', inlineSources(anyPage))

const notFound = page('not-found.html', { title: 'Página não encontrada' })
writeCompressed('pages', { ...pages, 'not-found.html': notFound })
write('email.html.bin', readFileSync(join('src', 'email', 'email.html')))

writeCompressed('passwords', { 'common.txt': commonPasswords().join('\n') })

function textsOfPages() {
  const json = pageFile('pages.json')
  return JSON.parse(json) as Record<string, Record<string, string>>
}

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(GENERATED, 'pages', name), content)
}

/** Builds a page with its texts, style and script inline, so that it loads nothing. */
function page(template: string, texts: Record<string, string>): string {
  const parts: Record<string, string> = {
    ...texts,
    style: pageFile('page.css'),
    script: pageFile('page.js'),
  }
  const html = pageFile(template)
  return html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`src/pages/pages.json has no ${name}`)
    return part
  })
}

/** Returns Content-Security-Policy directives that allow a page's style and script by hash. */
function inlineSources(html: string): string {
  return ['style', 'script'].map((element) => sourceOf(html, element)).join('; ')
}

function sourceOf(html: string, element: string): string {
  const pattern = new RegExp(`<${element}.*?>(.*)</${element}>`, 's')
  const [, content = ''] = pattern.exec(html) ?? []
  const hash = createHash('sha256').update(content)
  return `${element}-src 'sha256-${hash.digest('base64')}'`
}

function writeCompressed(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(GENERATED, folder, `${name}.gz.bin`)
    writeFileSync(path, gzipSync(content, { level: 9 }))
  }
}
