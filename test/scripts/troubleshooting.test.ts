import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errors } from '#http/response/errors.ts'

const page = readFileSync('docs/troubleshooting.md', 'utf8')
const sources = globSync('{src,scripts}/**/*.ts')
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
const rows = page
  .split('\n')
  .filter((line) => /^\| (?!-|message|status|`event`)/.test(line))

/** Messages of other programs. */
const FOREIGN = /^(SQLITE_|E_)/

it.each(rows)('the service and its commands have the message of %s', (row) => {
  const cells = row.split(/(?<!\\)\|/)
  const [, first = '', second = ''] = cells
  const symptom = /^ \d{3} /.test(first) ? second : first
  const messages = [...symptom.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message)
  const parts = messages
    .filter((message) => !FOREIGN.test(message))
    .flatMap((message) => message.split('…'))
  for (const part of parts) expect(sources).toContain(part.trim())
})

it('has a row for each refusal that a client cannot correct by itself', () => {
  const makers = {
    ...errors,
    methodNotAllowed: () => errors.methodNotAllowed([]),
    insufficientScope: () => errors.insufficientScope('login'),
    tooManyRequests: () => errors.tooManyRequests(60),
  }
  const refusals = Object.values(makers)
    .map((make) => make())
    .filter(({ status }) => status >= 500 || [401, 403, 413, 415, 429].includes(status))
  expect(refusals.length).toBeGreaterThan(10)
  for (const { status, message } of refusals) {
    expect(page.replaceAll(/ +/g, ' ')).toContain(`| ${status} | \`${message}\` |`)
  }
})
