import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openApiDocument } from './openapi/document.ts'

/** Where src/routes/documentation.ts imports them from, as bytes that no start of the Worker parses. */
const FOLDER = join('.wrangler', 'docs')
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const PAGE = `<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Informer Provisioning Service</title>
    <link rel="icon" href="/v1/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/v1/docs/swagger-ui.css">
    <style>
      /* on a telephone the description of a group stands below its name */
      .swagger-ui .opblock-tag { flex-wrap: wrap }
      @media (max-width: 40em) { .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0 } }
    </style>
  </head>
  <body>
    <div id="viewer"></div>
    <script src="/v1/docs/swagger-ui-bundle.js"></script>
    <script src="/v1/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null, // it would ask another host
})
`

const viewerFile = (name: string) => readFileSync(join(VIEWER, name))
const files = {
  'openapi.json': JSON.stringify(openApiDocument()),
  'index.html': PAGE,
  'start.js': START,
  'swagger-ui.css': viewerFile('swagger-ui.css'),
  'swagger-ui-bundle.js': viewerFile('swagger-ui-bundle.js'),
  'favicon-32x32.png': viewerFile('favicon-32x32.png'),
}
mkdirSync(FOLDER, { recursive: true })
for (const [name, content] of Object.entries(files))
  writeFileSync(join(FOLDER, `${name}.gz.bin`), gzipSync(content, { level: 9 }))
