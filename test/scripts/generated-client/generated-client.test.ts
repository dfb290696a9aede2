import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../../scripts/build/openapi/operations.ts'
import { logIn } from '../../../scripts/commands/provisioning/demo.ts'
import { type DocumentedOperation, documentedPaths } from '../../support/documented.ts'
import { demoService } from '../demo-service.ts'
import { errors as apiErrors } from '#http/response/errors.ts'
import type { Operation } from '#openapi/operation.ts'

mkdirSync('.wrangler', { recursive: true })
/** In the project, so that tsc and vite resolve its dependencies. */
const folder = mkdtempSync(resolve('.wrangler', 'client-'))
const document = join(folder, 'openapi.json')
const calls = join(folder, 'calls.ts')
const service = demoService()

/** Runs a command of the project and returns its output. */
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      NO_COLOR: '1',
    },
  })

/**
 * The source of a call of every documented operation, with the ids that its path names, the
 * defaults of its headers and the example of its body.
 */
const callsSource = () => `import * as api from './client/index'
type Options = { auth: string; ids: Record<string, string> }
export const calls = {
${Object.values(documentedPaths).flatMap(Object.values).map(callSource).join('\n')}
}
export async function typesOf(auth: string) {
  const { data, error } = await api.createInformer({ auth, body: { first_name: '' } })
  const created: api.CreatedInformer | undefined = data?.data
  const messages = error && 'errors' in error ? error.errors.first_name : []
  return { created, messages: messages satisfies string[] | undefined }
}`

function callSource({ operationId, parameters = [], requestBody }: DocumentedOperation) {
  const parametersIn = (place: string) => parameters.filter((one) => one.in === place)
  const path = parametersIn('path').map(
    ({ name, schema: { type } }) =>
      `${name}: ${type === 'integer' ? 'Number' : ''}(ids.${name} ?? '')`,
  )
  const headers = parametersIn('header').map(
    ({ name, schema }) => `'${name}': '${schema.default}'`,
  )
  const body = JSON.stringify(requestBody?.content['application/json'].example)
  const options = [
    'auth',
    path.length > 0 && `path: { ${path} }`,
    headers.length > 0 && `headers: { ${headers} }`,
    body && `body: ${body}`,
  ]
  return `${operationId}: ({ auth, ids }: Options) => api.${operationId}({ ${options.filter(Boolean)} }),`
}

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']

/** What refuses the example of a body: no app or emailed link has its code or token. */
const REFUSALS: Record<string, number> = {
  verifyEmail: 422,
  resetPassword: 422,
  enableSecondFactor: 422,
  disableSecondFactor: 409,
}

/**
 * Every operation, in an order in which each finds what it names: parts are deleted before what
 * they belong to.
 */
function inOrder(): [string, Operation][] {
  const of = (method: string) =>
    Object.entries(operations).filter(([route]) => route.startsWith(method))
  const [deletions = [], ...others] = METHODS.map(of).reverse()
  const depth = ([route]: [string, Operation]) => route.split('/').length
  return [
    ...others.reverse().flat(),
    ...deletions.reverse().sort((one, other) => depth(other) - depth(one)),
  ]
}

beforeAll(async () => {
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text())
  await createClient({
    input: document,
    output: join(folder, 'client'),
    logs: { level: 'silent' },
  })
  writeFileSync(calls, callsSource())
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('the served OpenAPI document', () => {
  it('passes the linter of Redocly without a warning', () => {
    const config = join(import.meta.dirname, 'redocly.yaml')
    const { problems } = JSON.parse(
      run('redocly', 'lint', '--config', config, '--format', 'json', document),
    )
    expect(problems).toEqual([])
  })

  it('generates a client that type-checks in strict mode, and types errors', () => {
    const options =
      '--noEmit --strict --noUncheckedIndexedAccess --skipLibCheck --ignoreConfig --types node'
    const environment =
      '--moduleResolution bundler --module esnext --target esnext --lib esnext,dom,dom.iterable'
    run('tsc', ...options.split(' '), ...environment.split(' '), calls)
  })

  it('generates a client that calls every route, with the defaults and examples of the document', async () => {
    const client = await import(join(folder, 'client', 'client.gen.ts'))
    client.client.setConfig({ baseUrl: service.baseUrl })
    const { calls: callOf } = await import(calls)
    const ids: Record<string, string> = {}
    const statuses: Record<string, number> = {}
    const expected: Record<string, number> = {}
    for (const [route, { id, access, status = 200, errors = [] }] of inOrder()) {
      const isOwn = access === 'user' && !errors.includes(apiErrors.administratorsOnly)
      const auth = isOwn
        ? await logIn(service.baseUrl, 'bento@example.org')
        : service.token
      const { response, data } = await callOf[id]({ auth, ids })
      statuses[id] = response.status
      expected[id] = REFUSALS[id] ?? status
      const name = new RegExp(`^DELETE ${route.split(' ')[1]}/:(\\w+)$`)
      const [, parameter] = Object.keys(operations).flatMap(
        (other) => name.exec(other) ?? [],
      )
      if (status === 201 && parameter) ids[parameter] = data.data.id
      if (id === 'createProcess') {
        const [{ id: group, questionnaires }] = data.data.groups
        Object.assign(ids, { group, questionnaire: questionnaires[0].id })
      }
    }
    expect(statuses).toEqual(expected)
  })
})
