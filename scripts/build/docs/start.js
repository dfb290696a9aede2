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
