import { DEMO_PASSWORD } from '../commands/provisioning/demo.ts'

/** Returns the addresses of the service and, with demo data, how to try it. */
export function welcome(baseUrl: string, hasDemo: boolean): string {
  const serving = `Serving on ${baseUrl}, with its documentation on ${baseUrl}/docs.`
  return `\n${serving} Ctrl-C ends it.\n${hasDemo ? demoHelp(baseUrl) : ''}`
}

function demoHelp(baseUrl: string): string {
  const json = "-H 'Content-Type: application/json'"
  const token = (name: string) =>
    `$(echo ${DEMO_PASSWORD} | npm run --silent login -- ${baseUrl} --login ${name}@example.org)`
  const as = (name: string) => `-H "Authorization: Bearer ${token(name)}"`
  const once = "-H 'Idempotency-Key: joao'"
  const informer = '{"first_name":"João","last_name":"da Silva Santos"}'
  return `
Demo users, password ${DEMO_PASSWORD}:
  admin@example.org   administrator
  ana@example.org     informer, two groups, one of them concluded
  bento@example.org   informer, one group, begun
  clara@example.org   informer without a group

Three commands to copy:
  curl '${baseUrl}/categories?search=conego'

  curl ${baseUrl}/cover ${as('ana')}

  curl ${baseUrl}/informers ${as('admin')} ${json} ${once} -d '${informer}'
`
}
