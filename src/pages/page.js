// In the browser, on both pages: uses the token of the emailed link, or asks for another link.

const select = (selector) => document.querySelector(selector)
const useToken = select('#use-token')
const requestLink = select('#request-link')
const done = select('#done')
const choosePassword = select('#choose-password')
const password = select('#password')
const repeated = select('#repeated')
const show = select('#show')
const email = select('#email')
const rules = [...document.querySelectorAll('[data-rule]')]

const PATTERNS = { length: /^.{6,}$/su, upper: /\p{Lu}/u, lower: /\p{Ll}/u, digit: /[0-9]/ }
const UNREACHABLE = 'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.'

// the address must not keep the token: it may be copied, synchronised or seen
const token = new URLSearchParams(location.hash.slice(1)).get('token')
history.replaceState(null, '', location.pathname)
addEventListener('hashchange', () => location.reload()) // another link opened in this tab

/** Shows one of the parts of the page. */
function open(part) {
  for (const other of [useToken, requestLink, done]) other.hidden = other !== part
}

/** Shows that a form has done its work. */
function finish(form, heading) {
  open(done)
  for (const text of done.querySelectorAll('[data-done]')) text.hidden = text.dataset.done !== form.id
  for (const input of document.querySelectorAll('input')) input.value = ''
  announce(done, heading)
}

/** Sets the heading of a part of the page and of the window; the focus makes screen readers say it. */
function announce(part, heading) {
  const element = part.querySelector('h2')
  element.textContent = heading
  document.title = heading
  element.focus()
}

function askForPassword() {
  select('#intro').hidden = true
  choosePassword.hidden = false
}

function askForLink(reason) {
  open(requestLink)
  for (const text of requestLink.querySelectorAll('[data-reason]'))
    text.hidden = text.dataset.reason !== reason
}

function showError(input, messages = []) {
  select(`#${input.id}-error`).textContent = messages.join(' ')
  input.setAttribute('aria-invalid', String(messages.length > 0))
}

/** Shows errors beside their fields, or else a problem of the whole form; focuses the first. */
function showErrors(form, errors, problem = '') {
  const inputs = [...form.querySelectorAll('[aria-describedby]')]
  for (const input of inputs) showError(input, errors[input.id])
  const invalid = inputs.find(({ id }) => errors[id])
  const general = form.querySelector('.problem')
  general.textContent = invalid ? '' : problem
  if (invalid) invalid.focus()
  else if (problem) general.focus()
}

const isMet = ({ dataset: { rule } }) => PATTERNS[rule].test(password.value)

function passwordErrors() {
  const missing = rules.filter((rule) => !isMet(rule)).map((rule) => rule.firstChild.data)
  return {
    ...(missing.length > 0 && { password: [`Ainda falta: ${missing.join(', ')}.`] }),
    ...(password.value !== repeated.value && { repeated: ['As duas senhas não são iguais.'] }),
  }
}

async function post(form, body) {
  try {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(form.action, { method: 'POST', headers, body: JSON.stringify(body) })
    return { ok: response.ok, ...(await response.json()) }
  } catch {
    return { ok: false, message: UNREACHABLE }
  }
}

/** Submits a form once at a time. */
function onSubmit(form, work) {
  const button = form.querySelector('button')
  let isBusy = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    const label = button.textContent
    button.setAttribute('aria-disabled', 'true')
    button.textContent = 'Aguarde…'
    await work()
    isBusy = false
    button.removeAttribute('aria-disabled')
    button.textContent = label
  })
}

onSubmit(useToken, async () => {
  const hasPassword = !choosePassword.hidden
  showPasswords(false) // or the browser remembers them as ordinary text
  const mistakes = hasPassword ? passwordErrors() : {}
  showErrors(useToken, mistakes)
  if (Object.keys(mistakes).length > 0) return
  const {
    ok,
    message,
    errors = {},
  } = await post(useToken, hasPassword ? { token, password: password.value } : { token })
  if (ok) return finish(useToken, message)
  if (errors.token) {
    askForLink('invalid')
    return announce(requestLink, errors.token[0])
  }
  if (!errors.password || hasPassword) return showErrors(useToken, errors, message)
  askForPassword() // the service knows who has none yet
  password.focus()
})

onSubmit(requestLink, async () => {
  showErrors(requestLink, {})
  const { ok, message, errors = {} } = await post(requestLink, { email: email.value })
  if (!ok) return showErrors(requestLink, errors, message)
  done.querySelector('span').textContent = message
  finish(requestLink, 'Pedido recebido')
})

useToken.addEventListener('input', () => {
  for (const rule of rules) {
    rule.className = isMet(rule) ? 'met' : ''
    rule.querySelector('span').textContent = isMet(rule) ? ': cumprido' : ''
  }
  const mistakes = passwordErrors()
  for (const input of [password, repeated]) if (!mistakes[input.id]) showError(input)
})
email.addEventListener('input', () => showError(email))

function showPasswords(isShown) {
  show.checked = isShown
  password.type = repeated.type = isShown ? 'text' : 'password'
}
show.addEventListener('change', () => showPasswords(show.checked))

if (!token) askForLink('missing')
else open(useToken)
if (useToken.dataset.step === 'password') askForPassword()
select('#without-script').hidden = true
