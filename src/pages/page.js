// In the browser, on both pages: uses the token of the emailed link, or asks for another link.

const select = (selector) => document.querySelector(selector)
const [useToken, requestLink] = document.forms
const { password, repeated, show } = useToken
const done = select('#done')
const choosePassword = select('#choose-password')
const rules = [...document.querySelectorAll('[data-pattern]')]

const UNREACHABLE =
  'Não foi possível falar com o servidor. Confira a conexão com a internet e tente de novo.'

// the address must not keep the token: it may be copied, synchronised or seen
const token = new URLSearchParams(location.hash.slice(1)).get('token')
history.replaceState(null, '', location.pathname)
addEventListener('hashchange', () => location.reload()) // another link opened in this tab

/** Shows another part of the page under a heading; the focus makes screen readers say it. */
function open(part, heading) {
  for (const other of [useToken, requestLink, done]) other.hidden = other !== part
  const element = part.querySelector('h2')
  document.title = element.textContent = heading
  element.focus()
}

/** Shows that a form has done its work. */
function finish(heading, text) {
  for (const form of document.forms) form.reset()
  done.querySelector('p').textContent = text
  open(done, heading)
}

function askForPassword() {
  select('#intro').hidden = true
  choosePassword.hidden = false
}

/** Shows errors beside their fields, or else a problem of the whole form; focuses the first. */
function showErrors(form, errors = {}, problem = '') {
  const inputs = [...form.querySelectorAll('[aria-describedby]')]
  for (const input of inputs) {
    select(`#${input.id}-error`).textContent = (errors[input.id] ?? []).join(' ')
    input.setAttribute('aria-invalid', String(input.id in errors))
  }
  const invalid = inputs.find(({ id }) => id in errors)
  const general = form.querySelector('[role=alert]')
  general.textContent = invalid ? '' : problem
  if (invalid) invalid.focus()
  else if (problem) general.focus()
}

const isMet = (rule) => new RegExp(rule.dataset.pattern, 'su').test(password.value)

function passwordErrors() {
  const missing = rules.filter((rule) => !isMet(rule)).map((rule) => rule.firstChild.data)
  return {
    ...(missing.length > 0 && { password: [`Ainda falta: ${missing.join(', ')}.`] }),
    ...(password.value !== repeated.value && { repeated: ['As duas senhas não são iguais.'] }),
  }
}

function showPasswords(isShown) {
  show.checked = isShown
  password.type = repeated.type = isShown ? 'text' : 'password'
}

async function post(form, body) {
  try {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(form.action, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { ok: response.ok, ...(await response.json()) }
  } catch {
    return { ok: false, message: UNREACHABLE }
  }
}

/** Submits a form once at a time. */
function onSubmit(form, submit) {
  const button = form.querySelector('button')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.ariaDisabled) return
    const label = button.textContent
    button.ariaDisabled = 'true'
    button.textContent = 'Aguarde…'
    await submit()
    button.ariaDisabled = null
    button.textContent = label
  })
  form.addEventListener('input', () => showErrors(form))
}

onSubmit(useToken, async () => {
  const hasPassword = !choosePassword.hidden
  showPasswords(false) // or the browser remembers them as ordinary text
  const mistakes = hasPassword ? passwordErrors() : {}
  showErrors(useToken, mistakes)
  if (Object.keys(mistakes).length > 0) return
  const body = { token, ...(hasPassword && { password: password.value }) }
  const { ok, message, errors = {} } = await post(useToken, body)
  if (ok) finish(message, useToken.dataset.done)
  else if (errors.token) open(requestLink, errors.token[0])
  else if (hasPassword || !errors.password) showErrors(useToken, errors, message)
  else {
    askForPassword() // the service knows who has none yet
    password.focus()
  }
})

onSubmit(requestLink, async () => {
  showErrors(requestLink)
  const { ok, message, errors } = await post(requestLink, { email: requestLink.email.value })
  if (ok) finish('Pedido recebido', `${message} ${requestLink.dataset.done}`)
  else showErrors(requestLink, errors, message)
})

password.addEventListener('input', () => {
  for (const rule of rules) rule.classList.toggle('met', isMet(rule))
})
show.addEventListener('change', () => showPasswords(show.checked))

if (!token) open(requestLink, 'É preciso um link')
else useToken.hidden = false
if (useToken.dataset.step === 'password') askForPassword()
select('#without-script').hidden = true
