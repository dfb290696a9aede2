import type { Settings } from '../../src/settings.ts'
import { DEMO_PASSWORD } from './demo.ts'

/** Says what is served, and with demo data how to try it. */
export function welcome(baseUrl: string, hasDemo: boolean, settings: Settings): string {
  const serving = `Serving on ${baseUrl}, with its documentation on ${baseUrl}/docs.`
  return `\n${serving} Ctrl-C ends it.\n${hasDemo ? demoHelp(baseUrl, settings) : ''}`
}

function demoHelp(baseUrl: string, { REQUIRE_SECOND_FACTOR }: Settings): string {
  const json = "-H 'Content-Type: application/json'"
  const login = (email: string) => {
    const body = JSON.stringify({ email, password: DEMO_PASSWORD })
    return `curl -s ${baseUrl}/auth/login ${json} -d '${body}'`
  }
  const token = (email: string) =>
    `$(${login(email)} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`
  const as = (name: string) =>
    `-H "Authorization: Bearer ${token(`${name}@example.org`)}"`
  const once = "-H 'Idempotency-Key: joao'"
  const informer = '{"first_name":"João","last_name":"da Silva Santos"}'
  const create = `curl ${baseUrl}/informers ${as('admin')} ${json} ${once} -d '${informer}'`
  const password = JSON.stringify({ current_password: DEMO_PASSWORD })
  const askForFactor = `curl ${baseUrl}/auth/second-factor ${as('admin')} ${json} -d '${password}'`
  return `
Demo users, password ${DEMO_PASSWORD}:
  admin@example.org   administrator
  ana@example.org     informer, two groups, one of them concluded
  bento@example.org   informer, one group, begun
  clara@example.org   informer without a group

Three commands to copy:
  curl '${baseUrl}/categories?search=conego'

  curl ${baseUrl}/cover ${as('ana')}

  ${REQUIRE_SECOND_FACTOR ? askForFactor : create}
`
}
