import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeFolder } from './lib/command-line.ts'
import { openApiDocument } from './openapi/document.ts'

// Makes the files that src/routes/documentation.ts, pages.ts and src/email/messages.ts import as bytes: they are no code
// that is parsed at startup.

const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const docsFile = (name: string) => readFileSync(join('scripts', 'docs', name))
const viewerFile = (name: string) => readFileSync(join(VIEWER, name))
const pageFile = (name: string) => readFileSync(join('src', 'pages', name), 'utf8')

for (const name of ['docs', 'pages'])
  try {
    makeFolder(join('.wrangler', name))
  } catch (error) {
    console.error(`Cannot make the documentation: ${(error as Error).message}`)
    process.exit(1)
  }

writeCompressed('docs', {
  'openapi.json': JSON.stringify(openApiDocument()),
  'index.html': docsFile('index.html'),
  'start.js': docsFile('start.js'),
  'swagger-ui.css': viewerFile('swagger-ui.css'),
  'swagger-ui-bundle.js': viewerFile('swagger-ui-bundle.js'),
  'favicon-32x32.png': viewerFile('favicon-32x32.png'),
})

const texts = JSON.parse(pageFile('pages.json')) as Record<string, Record<string, string>>
const linkPages = Object.entries(texts).map(
  ([name, own]) => [`${name}.html`, page('page.html', { name, ...own })] as const,
)
writeCompressed('pages', {
  ...Object.fromEntries(linkPages),
  'not-found.html': page('not-found.html', { title: 'Página não encontrada' }),
})
const emails = readFileSync(join('src', 'email', 'texts.json'))
writeFileSync(join('.wrangler', 'pages', 'emails.json.bin'), emails)
writeFileSync(
  join('.wrangler', 'pages', 'inline-sources.bin'),
  inlineSources(linkPages[0]?.[1] ?? ''),
)

/** A page with its texts, and its style and script inline, so that it loads nothing. */
function page(template: string, texts: Record<string, string>): string {
  const parts: Record<string, string> = {
    ...texts,
    style: pageFile('page.css'),
    script: pageFile('page.js'),
  }
  return pageFile(template).replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`src/pages/pages.json has no ${name}`)
    return part
  })
}

/** The directives of a Content-Security-Policy that allow the style and the script of a page by their hashes. */
function inlineSources(html: string): string {
  return ['style', 'script']
    .map((element) => {
      const [, content = ''] = new RegExp(`<${element}.*?>(.*)</${element}>`, 's').exec(html) ?? []
      return `${element}-src 'sha256-${createHash('sha256').update(content).digest('base64')}'`
    })
    .join('; ')
}

function writeCompressed(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files))
    writeFileSync(join('.wrangler', folder, `${name}.gz.bin`), gzipSync(content, { level: 9 }))
}
