import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { openApiDocument, templateOf } from '../../scripts/build/openapi/document.ts'
import { errorsOf, operations } from '../../scripts/build/openapi/operations.ts'
import { documentedPaths, documentedResponse, schemaOf } from '../support/documented.ts'
import { administratorToken, call, callJson } from '../support/helper.ts'
import { servedRoutes } from '../support/served-routes.ts'
import { documentation } from '#routes/documentation.ts'
import { pages } from '#routes/pages.ts'

type Property = {
  anyOf?: { description?: string }[]
  format?: string
  maxLength?: number
}

/** The document itself, and pages. */
const UNDOCUMENTED = [
  ...documentation.routes.map(({ path }) => `GET /v1${path}`),
  ...pages.routes.map(({ path }) => `GET ${path}`),
]

/** The operation that the document has of a route. */
function documentedOperation(name: string) {
  const [method = '', route = ''] = name.split(' ')
  const operation = documentedPaths[templateOf(route)]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${name} is not documented`)
  return operation
}

describe('GET /v1/openapi.json', () => {
  it('describes the routes that the service has, as OpenAPI 3.1', async () => {
    const { status, body, headers } = await callJson('/openapi.json')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(body).toEqual({ ...openApiDocument(), servers: body.servers })
    expect(body.openapi).toBe('3.1.0')
    const routes = servedRoutes.filter((name) => !UNDOCUMENTED.includes(name))
    expect(
      Object.keys(operations).sort(),
      'described in the openapi.ts of its folder in src/routes',
    ).toEqual(routes.sort())
    for (const name of routes) {
      expect(documentedOperation(name).operationId).toBeTruthy()
    }
  })

  it.each([
    ['PUBLIC_URL', 'https://informantes.diocese.br', 'https://informantes.diocese.br/v1'],
    ['its own address without PUBLIC_URL', '', '/v1'],
  ])('names %s as its server', async (_, PUBLIC_URL, url) => {
    for (const path of ['/openapi.json', '/api/openapi.json']) {
      const { body, headers } = await callJson(path, { env: { PUBLIC_URL } })
      expect(body.servers).toEqual([{ url }])
      expect(headers.get('Cache-Control')).toBe('no-store') // it changes with the setting
    }
  })

  it('lets the changelog be read without a token', () => {
    const { security } = documentedOperation('GET /v1/changelogs')
    expect(security).toContainEqual({})
  })

  it('gives a body one media type, a property a type and its description, for generators', () => {
    const misread: string[] = []
    JSON.stringify(openApiDocument(), (_, value) => {
      misread.push(...Object.keys(value?.content ?? {}).slice(1))
      for (const [name, property] of Object.entries<Property>(value?.properties ?? {})) {
        const isTyped = ['type', 'anyOf', '$ref'].some((key) => key in property)
        const { format, maxLength, anyOf = [] } = property
        const isHidden = anyOf.some(({ description }) => description)
        if (!isTyped || isHidden || (format === 'date' && maxLength)) misread.push(name)
      }
      return value
    })
    expect(misread).toEqual([])
  })

  it('lets a minor version add members to every response, and limits no integer of one', () => {
    const responses = JSON.stringify(openApiDocument(), (key, value) =>
      key === 'requestBody' ? undefined : value,
    )
    const limits = /.{80}("additionalProperties":false|9007199254740991)/g
    expect(responses.match(limits)).toBeNull()
  })

  it.each(Object.entries(operations))(
    'gives the errors of %s with their messages, also those that others share',
    (name, described) => {
      const operation = documentedOperation(name)
      const documented = Object.keys(operation.responses)
        .flatMap((status) => {
          const content = documentedResponse(operation, Number(status))?.content
          const { message } = content?.['application/json'].schema.properties ?? {}
          return (message?.enum ?? []).map((text) => ({ status: Number(status), text }))
        })
        .filter(({ status }) => status >= 400)
      const expected = errorsOf(name, described).map(({ status, message }) => ({
        status,
        text: message,
      }))
      expect(new Set(documented)).toEqual(new Set(expected))
    },
  )

  const entry = operations['POST /v1/changelogs']?.body?.example
  const commit = {
    hash: 'ABCDEF1234',
    message: 'feat: um',
    date: '2026-01-31T12:00:00Z',
    version: 'v1.0.0',
  }

  it.each([
    ['/auth/email/resend', { email: 'ana' }],
    ['/auth/login', { password: 'Provisao2026' }],
    ['/auth/login', { email: '', cpf: null, password: 'Provisao2026' }],
    ['/informers', { first_name: '' }],
    ['/informers', { first_name: 'Ana', img_url: 'ftp://example.org/a.png' }],
    ['/informers', { first_name: 'á'.repeat(101) }],
    ['/informers', { first_name: 'Ana', password: 'Senh2' }],
    ['/informers', { first_name: 'Ana', cpf: '529.982.247-25' }],
    ['/changelogs', { ...entry, category: 'Outra' }],
    ['/changelogs', { ...entry, version: 'v01.2.0' }],
    ['/changelogs', { ...entry, date: '2026-02-30' }],
    ['/changelogs/publish', {}],
    ['/changelogs/publish', { is_published: true }],
    ['/changelogs/publish', { version: 'v1.2.0', ids: [] }],
    ['/changelogs/publish', { version: null, ids: null }],
    ['/changelogs/sync-from-git', { commits: [{ hash: commit.hash }] }],
    ['/changelogs/sync-from-git', { commits: Array(1001).fill(commit) }],
  ])('POST /v1%s rejects body %# as the document does', async (path, body) => {
    const schema =
      documentedPaths[path]?.post?.requestBody?.content['application/json'].schema
    expect(schemaOf(schema ?? {}).safeParse(body).success).toBe(false)
    const token = path.startsWith('/auth') ? {} : { token: await administratorToken() }
    expect((await call(path, { ...token, body })).status).toBe(422)
  })

  it('describes every field of a body whose name does not say it all', () => {
    const fields = new Map<string, boolean>()
    for (const name of Object.keys(operations)) {
      JSON.stringify(documentedOperation(name).requestBody, (_, value) => {
        for (const [field, schema] of Object.entries<object>(value?.properties ?? {})) {
          fields.set(field, fields.get(field) || 'description' in schema)
        }
        return value
      })
    }
    const undescribed = [...fields].filter(([, isDescribed]) => !isDescribed)
    expect(undescribed.map(([name]) => name).sort()).toEqual([
      'category',
      'description',
      'first_name',
      'hash',
      'last_name',
      'phone',
      'title',
    ])
  })

  it('documents the parameters, and every status with its messages', () => {
    const list = documentedOperation('GET /v1/categories')
    const parameters = 'search active page per_page If-None-Match'
    expect(list.parameters?.map(({ name }) => name).join(' ')).toBe(parameters)
    const active = list.parameters?.find(({ name }) => name === 'active')
    expect(active?.schema).toEqual({ type: 'boolean' })
    const statuses = '200 304 401 405 422 500 503'
    expect(Object.keys(list.responses).join(' ')).toBe(statuses)

    const create = documentedOperation('POST /v1/informers')
    expect(create.parameters?.map(({ name }) => name)).toEqual(['Idempotency-Key'])
    expect(Object.keys(create.responses).join(' ')).toBe(
      '201 400 401 403 405 409 413 415 422 500 503',
    )
    const update = documentedOperation('PATCH /v1/informers/:informer')
    expect(update.parameters?.map(({ name }) => name)).toEqual(['informer', 'If-Match'])
  })
})

describe('GET /v1/docs', () => {
  it('is a page that loads only files of the service', async () => {
    const response = await call('/docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Content-Security-Policy')).toBe(
      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    const page = await response.text()
    const files = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(
      ([, file]) => file ?? '',
    )
    const ownFiles = files.filter((file) => file !== 'data:,')
    expect(ownFiles.length).toBe(3)
    for (const file of ownFiles) {
      expect(file).toMatch(/^\/v1\/docs\//)
      const { status, headers } = await call(file.replace('/v1', ''))
      expect([status, headers.get('Cache-Control')]).toEqual([200, 'public, max-age=300'])
      expect(headers.get('Content-Type')).toMatch(/javascript|css/)
    }
  })

  it.each([
    ['', null],
    ['br, gzip ; q=0.000 , deflate', null],
    ['gzip;q=0.8', 'gzip'],
  ])(
    'with Accept-Encoding %s has Content-Encoding %s, and the same content',
    async (accepted, encoding) => {
      const response = await call('/docs/start.js', {
        headers: { 'Accept-Encoding': accepted },
      })
      expect(response.headers.get('Content-Encoding')).toBe(encoding)
      expect(response.headers.get('Vary')).toMatch(/^Accept-Encoding\b/)
      const unzip = new DecompressionStream('gzip')
      const body = encoding ? new Response(response.body?.pipeThrough(unzip)) : response
      expect(await body.text()).toContain('SwaggerUIBundle({')
    },
  )

  it('is 304 to a client that has this version, with the headers of a cache (RFC 9110, 15.4.5)', async () => {
    const whole = await call('/docs/start.js')
    const etag = whole.headers.get('ETag') ?? ''
    expect(etag).toBe(`W/"${env.VERSION.id}"`)
    const response = await call('/docs/start.js', { headers: { 'If-None-Match': etag } })
    expect([response.status, await response.text()]).toEqual([304, ''])
    for (const name of ['ETag', 'Cache-Control', 'Vary']) {
      expect(response.headers.get(name)).toBe(whole.headers.get(name))
    }
  })

  it.each(['nothing.js', '..%2fopenapi.json', 'index.html'])(
    'has no file %s',
    async (file) => {
      const { status, body } = await callJson(`/docs/${file}`)
      expect([status, body]).toEqual([
        404,
        { success: false, message: 'Recurso não encontrado.' },
      ])
    },
  )
})
