import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openApiDocument } from './openapi/document.ts'

/** src/routes/documentation.ts imports the files from here, as bytes that are not parsed at startup. */
const FOLDER = join('.wrangler', 'docs')
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const pageFile = (name: string) => readFileSync(join('scripts', 'docs', name))
const viewerFile = (name: string) => readFileSync(join(VIEWER, name))
const files = {
  'openapi.json': JSON.stringify(openApiDocument()),
  'index.html': pageFile('index.html'),
  'start.js': pageFile('start.js'),
  'swagger-ui.css': viewerFile('swagger-ui.css'),
  'swagger-ui-bundle.js': viewerFile('swagger-ui-bundle.js'),
  'favicon-32x32.png': viewerFile('favicon-32x32.png'),
}
mkdirSync(FOLDER, { recursive: true })
for (const [name, content] of Object.entries(files))
  writeFileSync(join(FOLDER, `${name}.gz.bin`), gzipSync(content, { level: 9 }))
