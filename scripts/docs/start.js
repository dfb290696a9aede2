// Starts Swagger UI on the documentation page, in the browser.

const DOCUMENT = '/v1/openapi.json'
const TOKEN = 'authorized'

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches)
applyScheme()
darkScheme.addEventListener('change', applyScheme)

document.getElementById('demo').hidden = !['127.0.0.1', 'localhost'].includes(location.hostname)

/** Keeps the token in this tab only; the viewer itself would keep it permanently, in all tabs. */
const tokenOfTab = {
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded:
          (_, { authSelectors }) =>
          () =>
            sessionStorage.setItem(TOKEN, JSON.stringify(authSelectors.authorized())),
      },
    },
  },
}

const spec = await (await fetch(DOCUMENT)).json()
// the viewer would send the defaults
for (const operation of Object.values(spec.paths).flatMap(Object.values))
  for (const { schema } of operation.parameters ?? []) delete schema.default

const viewer = SwaggerUIBundle({
  spec,
  dom_id: '#viewer',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null, // no requests to another host
  plugins: [tokenOfTab],
  onComplete: () => {
    const kept = sessionStorage.getItem(TOKEN)
    if (kept) viewer.authActions.restoreAuthorization({ authorized: JSON.parse(kept) })
  },
})
