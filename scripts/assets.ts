import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openApiDocument } from './openapi/document.ts'

/** The static assets of the Worker, as `[assets]` in wrangler.toml names their folder. */
const FOLDER = join('.wrangler', 'assets', 'v1')
const DOCS = join(FOLDER, 'docs')
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

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(DOCS, { recursive: true })
writeFileSync(join(FOLDER, 'openapi.json'), JSON.stringify(openApiDocument()))
writeFileSync(join(DOCS, 'index.html'), PAGE)
writeFileSync(join(DOCS, 'start.js'), START)
for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'])
  copyFileSync(join(VIEWER, file), join(DOCS, file))
