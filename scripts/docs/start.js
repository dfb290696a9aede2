// Starts Swagger UI on the documentation page, in the browser.

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
  '.body-param__text': 'Corpo do pedido',
}

/** Adds what the viewer leaves out of its HTML: names of controls, levels of headings, and the focus of what scrolls. */
function complete() {
  for (const [selector, name] of Object.entries(NAMES))
    for (const control of viewerElement.querySelectorAll(selector))
      control.ariaLabel = name
  for (const row of viewerElement.querySelectorAll('tr[data-param-name]'))
    for (const control of row.querySelectorAll('select, input'))
      control.ariaLabel = row.dataset.paramName
  for (const part of viewerElement.querySelectorAll('.information-container'))
    Object.assign(part, { role: 'region', ariaLabel: 'Sobre o serviço' })
  for (const heading of viewerElement.querySelectorAll('h3, h4, h5'))
    heading.ariaLevel = heading.tagName[1] - 1
  for (const block of viewerElement.querySelectorAll('pre.microlight')) block.tabIndex = 0
  for (const table of viewerElement.querySelectorAll('.responses-table'))
    table.ariaLabel = table.id
}

const viewerElement = document.getElementById('viewer')
let frame = 0
new MutationObserver(() => {
  cancelAnimationFrame(frame)
  frame = requestAnimationFrame(complete)
}).observe(viewerElement, { childList: true, subtree: true })

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
  plugins: [tokenOfTab, plainTitles],
  onComplete: () => {
    const kept = sessionStorage.getItem(TOKEN)
    if (kept) viewer.authActions.restoreAuthorization({ authorized: JSON.parse(kept) })
  },
})
