// Starts Swagger UI on the documentation page, in the browser.

import { search } from './search.js'

const DOCUMENT = '/v1/openapi.json'
const TOKEN = 'authorized'

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () =>
  document.documentElement.classList.toggle('dark-mode', darkScheme.matches)
applyScheme()
darkScheme.addEventListener('change', applyScheme)

document.getElementById('demo').hidden = !['127.0.0.1', 'localhost'].includes(
  location.hostname,
)

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

/** A link in the button that opens an operation is nothing that a screen reader can reach; the button does the same. */
const plainTitles = ({ React }) => ({
  wrapComponents: {
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
})

const NAMES = {
  '.examples-select-element': 'Exemplo',
  '.content-type': 'Tipo do conteúdo',
  '.body-param__text': 'Corpo da requisição',
}

/** Adds what the viewer leaves out of its HTML: names of controls, levels of headings, and the focus of what scrolls. */
function complete() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const control of viewerElement.querySelectorAll(selector)) {
      control.ariaLabel = name
    }
  }
  for (const row of viewerElement.querySelectorAll('tr[data-param-name]')) {
    for (const control of row.querySelectorAll('select, input')) {
      control.ariaLabel = row.dataset.paramName
    }
  }
  for (const part of viewerElement.querySelectorAll('.information-container')) {
    Object.assign(part, { role: 'region', ariaLabel: 'Sobre o serviço' })
  }
  for (const heading of viewerElement.querySelectorAll('h3, h4, h5')) {
    heading.ariaLevel = heading.tagName[1] - 1
  }
  for (const heading of viewerElement.querySelectorAll('.models > h4')) {
    heading.ariaLevel = 2 // also where no tag comes before it
  }
  for (const block of viewerElement.querySelectorAll('pre.microlight')) block.tabIndex = 0
  for (const table of viewerElement.querySelectorAll('.responses-table')) {
    table.ariaLabel = table.id
  }
  goToLinked()
}

const viewerElement = document.getElementById('viewer')
let frame = 0
new MutationObserver(() => {
  cancelAnimationFrame(frame)
  frame = requestAnimationFrame(complete)
}).observe(viewerElement, { childList: true, subtree: true })

/** The operation that the address leads to, until it is on the page. */
let linked

/** Opens the operation of the address, `#/Auth/login`, and goes there. */
function openLinked() {
  const hash = decodeURIComponent(location.hash)
  viewer.layoutActions.updateFilter('')
  viewer.layoutActions.parseDeepLinkHash(hash)
  viewer.layoutActions.clearScrollTo() // it would scroll only to what was closed
  linked = hash.split('/')[2]
  goToLinked()
}

function goToLinked() {
  const block =
    linked && viewerElement.querySelector(`.opblock[id$="-${CSS.escape(linked)}"]`)
  if (!block) return
  linked = undefined
  block.scrollIntoView()
  block.querySelector('.opblock-summary-control').focus({ preventScroll: true })
}

// the viewer would add an entry for all that is opened, and nobody could go back
history.pushState = history.replaceState

/** The token of a login, or of whatever else gives one, is used at once. */
function useToken(response) {
  const token = response.body?.data?.access_token
  if (token) {
    viewer.preauthorizeApiKey('token', token)
    viewer.authActions.persistAuthorizationIfNeeded()
  }
  return response
}

const spec = await (await fetch(DOCUMENT)).json()
spec.servers = [{ url: '/v1' }] // the page may be open at another address of the service
spec.$$normalized = true // the viewer would do it twice whenever an operation is opened
// the viewer would send the defaults
for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
  for (const { schema } of operation.parameters ?? []) delete schema.default
}

const viewer = SwaggerUIBundle({
  spec,
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'none',
  responseInterceptor: useToken,
  displayRequestDuration: true,
  validatorUrl: null, // no requests to another host
  plugins: [tokenOfTab, plainTitles, search],
  onComplete: () => {
    const kept = sessionStorage.getItem(TOKEN)
    if (kept) viewer.authActions.restoreAuthorization({ authorized: JSON.parse(kept) })
    openLinked()
    addEventListener('popstate', openLinked) // which comes also where the address stays the same
  },
})
