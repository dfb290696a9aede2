// In the browser, on both pages: uses the token of the emailed link, or asks for another link.
// It must run in browsers of 2019, unbuilt: no syntax or interface that is younger. A translation
// puts every text into elements of its own, so texts come from `textContent` and attributes.

const TIMEOUT_MS = 20000
const UNREACHABLE =
  'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.'
const FAILED =
  'Algo não funcionou do nosso lado. Espere alguns minutos e tente de novo; ' +
  'se continuar assim, peça ajuda a quem fez o seu cadastro.'

const select = (selector) => document.querySelector(selector)
const heading = select('h1')
const useToken = select('#use-token')
const requestLink = select('#request-link')
const used = select('#used')
const requested = select('#requested')
const parts = [useToken, requestLink, used, requested]
const choosePassword = select('#choose-password')
const rules = [...document.querySelectorAll('[data-pattern]')]
const { password, repeated, show } = useToken

const [page] = /^\/[\w-]*/.exec(location.pathname)
const titleEnd = document.title.slice(heading.textContent.length)

/** Of the fragment, or of wherever a mail program put it, and without what it appended. */
function tokenOfAddress() {
  const match = /(?:#|%23|[?&])token(?:=|%3D)([\w-]+)/i.exec(location.href)
  return match ? match[1] : ''
}

// the address must not keep the token: it may be copied, synchronised or seen
const token = tokenOfAddress()
const isReloaded = !token && history.state === 'link is good'
rememberLink(token || isReloaded)
addEventListener('hashchange', () => location.reload()) // another link opened in this tab

/** Remembers for a reload that the emailed link may still be used, but not the link. */
function rememberLink(isGood) {
  history.replaceState(isGood ? 'link is good' : null, '', page)
}

function showPart(part) {
  for (const other of parts) {
    other.hidden = other !== part
  }
}

/** Says what has happened as the heading of the page; the focus makes screen readers say it. */
function announce(text) {
  document.title = text + titleEnd
  heading.textContent = text
  heading.focus()
}

function finish(part, text) {
  useToken.reset()
  requestLink.reset()
  showPart(part)
  announce(text)
}

function askForPassword() {
  const button = useToken.querySelector('button')
  button.textContent = button.dataset.withPassword
  select('#intro').hidden = true
  choosePassword.hidden = false
}

/** Offers another link, and says why. */
function offerLink(reason) {
  for (const id of ['no-link', 'reloaded', 'expired']) {
    select(`#${id}`).hidden = id !== reason
  }
  showPart(requestLink)
}

/** Shows errors beside their fields, or else a problem of the whole form; focuses the first. */
function showErrors(form, errors = {}, problem = '') {
  const inputs = [...form.querySelectorAll('[aria-describedby]')]
  for (const input of inputs) {
    const texts = errors[input.id] || []
    select(`#${input.id}-error`).textContent = texts.join(' ')
    input.setAttribute('aria-invalid', String(texts.length > 0))
  }

  const invalid = inputs.find(({ id }) => id in errors)
  const general = form.querySelector('.problem')
  general.textContent = invalid ? '' : problem

  if (invalid) sayAgain(invalid)
  else if (problem) sayAgain(general)
}

/** Focuses an element so that a screen reader says it even if it has the focus already. */
function sayAgain(element) {
  element.blur()
  element.focus()
}

function isMet(rule) {
  const pattern = new RegExp(rule.dataset.pattern, 'su')
  return pattern.test(password.value)
}

function passwordErrors() {
  const errors = {}
  const missing = rules
    .filter((rule) => !isMet(rule))
    .map((rule) => rule.querySelector('span').textContent)

  if (missing.length > 0) {
    errors.password = [`Ainda falta: ${missing.join(', ')}.`]
  }
  if (password.value !== repeated.value) {
    errors.repeated = ['As duas senhas não são iguais.']
  }
  return errors
}

function showPasswords(isShown) {
  show.checked = isShown
  for (const input of [password, repeated]) {
    input.type = isShown ? 'text' : 'password'
  }
}

/** Posts to the service. The result has the text of a success, or errors by field, or a problem. */
async function post(form, body) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), TIMEOUT_MS)
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: controller.signal,
    })
    const answer = await response.json()
    return resultOf(response, answer)
  } catch {
    const isLate = controller.signal.aborted
    return { problem: isLate ? form.dataset.late : UNREACHABLE }
  } finally {
    clearTimeout(timer)
  }
}

/** What has not the form of the service's responses, as what a firewall sends, is none of them. */
function resultOf({ ok, status }, { success, message, errors }) {
  const isOurs = status === 422 ? Boolean(errors) : success === ok
  if (!isOurs || typeof message !== 'string') {
    return { problem: UNREACHABLE }
  }
  if (ok) return { message }
  if (status === 422) return { errors }
  return { problem: status === 429 ? message : FAILED }
}

/** Submits a form once at a time. `bodyOf` returns null if something must be corrected first. */
function onSubmit(form, bodyOf, showResult) {
  const button = form.querySelector('button')

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.hasAttribute('aria-disabled')) return
    showErrors(form)
    const body = bodyOf()
    if (!body) return

    const label = button.textContent
    button.setAttribute('aria-disabled', 'true')
    button.textContent = 'Aguarde…'
    const result = await post(form, body)
    button.removeAttribute('aria-disabled')
    button.textContent = label
    showResult({ errors: {}, problem: FAILED, ...result })
  })

  form.addEventListener('input', () => showErrors(form))
}

function useTokenBody() {
  if (choosePassword.hidden) return { token }
  showPasswords(false) // or the browser remembers them as ordinary text
  const errors = passwordErrors()
  showErrors(useToken, errors)
  const hasErrors = Object.keys(errors).length > 0
  return hasErrors ? null : { token, password: password.value }
}

onSubmit(useToken, useTokenBody, ({ message, errors, problem }) => {
  if (message || errors.token) rememberLink(false)

  if (message) {
    finish(used, message)
  } else if (errors.token) {
    offerLink('expired')
    announce(errors.token[0])
  } else if (errors.password && choosePassword.hidden) {
    askForPassword() // the service knows who has none yet
    password.focus()
  } else {
    showErrors(useToken, errors, problem)
  }
})

function requestLinkBody() {
  return { email: requestLink.email.value }
}

onSubmit(requestLink, requestLinkBody, ({ message, errors, problem }) => {
  if (!message) {
    showErrors(requestLink, errors, problem)
    return
  }
  select('#requested-message').textContent = message
  const { email } = requestLinkBody()
  select('#requested-email').textContent = email.trim()
  finish(requested, 'Pedido recebido')
})

password.addEventListener('input', () => {
  for (const rule of rules) {
    rule.classList.toggle('met', isMet(rule))
  }
})
show.addEventListener('change', () => showPasswords(show.checked))

if (token) showPart(useToken)
else offerLink(isReloaded ? 'reloaded' : 'no-link')
if (isReloaded) announce('Abra o link outra vez')
if (useToken.dataset.step === 'password') askForPassword()
select('#without-script').hidden = true
