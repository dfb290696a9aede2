// Starts Swagger UI on the documentation page, in the browser.

const TOKEN = 'authorized'

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () =>
  document.documentElement.classList.toggle('dark-mode', darkScheme.matches)
applyScheme()
darkScheme.addEventListener('change', applyScheme)

document.getElementById('demo').hidden = !['127.0.0.1', 'localhost'].includes(
  location.hostname,
)

/** Keeps the token in this tab only; `persistAuthorization` would keep it permanently, in all tabs. */
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

/** Uses the token of a login, or of whatever else gives one. */
function useToken(response) {
  const token = response.body?.data?.access_token
  if (token) {
    viewer.preauthorizeApiKey('token', token)
    viewer.authActions.persistAuthorizationIfNeeded()
  }
  return response
}

/** Adds what the viewer leaves out: names, levels of headings, and the focus of what scrolls. */
function complete() {
  for (const control of viewerElement.querySelectorAll('select, textarea')) {
    const { paramName } = control.closest('[data-param-name]')?.dataset ?? {}
    control.ariaLabel = paramName ?? 'Conteúdo e exemplo'
  }
  for (const table of viewerElement.querySelectorAll('.responses-table')) {
    table.ariaLabel = table.id
  }
  for (const part of viewerElement.querySelectorAll('.information-container')) {
    Object.assign(part, { role: 'region', ariaLabel: 'Sobre o serviço' })
  }
  for (const heading of viewerElement.querySelectorAll('h3, h4, h5')) {
    heading.ariaLevel = heading.tagName[1] - 1
  }
  for (const block of viewerElement.querySelectorAll('pre.microlight')) block.tabIndex = 0
}

const viewerElement = document.getElementById('viewer')
new MutationObserver(complete).observe(viewerElement, { childList: true, subtree: true })

const spec = await (await fetch('/v1/openapi.json')).json()
spec.servers = [{ url: '/v1' }] // the page may be open at another address of the service
spec.$$normalized = true // the viewer would do it twice whenever an operation is opened

const viewer = SwaggerUIBundle({
  spec,
  dom_id: '#viewer',
  defaultModelsExpandDepth: -1,
  responseInterceptor: useToken,
  displayRequestDuration: true,
  validatorUrl: null, // no requests to another host
  plugins: [tokenOfTab],
  onComplete: () => {
    const kept = sessionStorage.getItem(TOKEN)
    if (kept) viewer.authActions.restoreAuthorization({ authorized: JSON.parse(kept) })
  },
})
