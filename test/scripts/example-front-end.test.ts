import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { HTTPRequest } from 'puppeteer-core'
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { freePort } from '../../scripts/lib/local-run.ts'
import { visitor } from './browser.ts'
import { CHROMIUM } from './chromium.ts'
import { serveDemo } from './demo-service.ts'
import { newFactorOwner } from './factor-owner.ts'

const HOUR_MS = 3_600_000
const LOCAL_SERVICE = 'http://127.0.0.1:8787/v1'

describe.skipIf(!existsSync(CHROMIUM))('the example of a front end', () => {
  const source = readFileSync('docs/example-front-end.html', 'utf8')
  let html = source
  const host = createServer(({ url }, response) =>
    response
      .setHeader('Content-Type', 'text/html; charset=utf-8')
      .end(url === '/' ? html : ''),
  )
  const visit = visitor()
  let service: Awaited<ReturnType<typeof serveDemo>>
  let origin: string

  beforeAll(async () => {
    await once(host.listen(0), 'listening')
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    service = await serveDemo()
    html = source.replaceAll(LOCAL_SERVICE, service.baseUrl)
    expect(html).not.toBe(source)
  })
  afterAll(async () => {
    host.close()
    await service?.stop()
  })

  const evaluate = (script: string) => visit.page.evaluate(script)
  const expectText = (selector: string) =>
    expect.poll(() => evaluate(`document.querySelector('${selector}').innerText`), {
      timeout: 30_000,
    })
  const isShown = (selector: string) =>
    evaluate(`document.querySelector('${selector}').checkVisibility()`)
  const expectCover = () => expectText('#cover').toContain('Ana da Silva Souza')

  async function logIn(user: string, password = DEMO_PASSWORD) {
    await visit.page.locator('[name=user]').fill(user)
    await visit.page.locator('[name=password]').fill(password)
    await visit.page.click('#login button')
  }

  beforeEach(async () => {
    await visit.page.goto(`${origin}/empty`)
    await evaluate('sessionStorage.clear()')
    await visit.page.goto(origin)
  })

  it('may run no other script, and reach no other host', async () => {
    await evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.isRun = true' }))",
    )
    expect(await evaluate('window.isRun ?? false')).toBe(false)
    await expect(evaluate(`fetch('${origin}/empty')`)).rejects.toThrow()
  })

  it('is accessible before and after the login, and shows the cover, also after a reload', async () => {
    await visit.expectAccessible()
    await logIn('ana@example.org')
    await expectCover()
    await expectText('#groups').toContain('SOB SEGREDO PONTIFÍCIO')
    expect(await isShown('#login')).toBe(false)
    await visit.expectFocus('person')
    await visit.page.reload()
    await expectCover()
    await leave('Ana', 'Grupo 3', 'SEGREDO')
  })

  /** Logs out, after which texts are nowhere in the page, and in none of its fields. */
  async function leave(...texts: string[]) {
    await visit.page.click('#logout')
    await expect.poll(() => isShown('#login')).toBe(true)
    expect(await evaluate('sessionStorage.length')).toBe(0)
    const fields = "[...document.querySelectorAll('input')].map(({ value }) => value)"
    const left = await evaluate(`document.body.innerHTML + ${fields}`)
    for (const text of texts) expect(left).not.toContain(text)
  }

  /** Logs in as an administrator of its own, whose sessions a logout ends. */
  async function logInToOffice() {
    const email = `${crypto.randomUUID()}@example.org`
    const administrator = { first_name: 'Rosa', email, password: DEMO_PASSWORD }
    expect((await send('POST', '/administrators', administrator)).status).toBe(201)
    await logIn(email)
    await visit.expectFocus('informers')
  }

  /** Logs in as an administrator, and opens an informer whose name was typed. */
  async function open(fullName: string) {
    await logInToOffice()
    await visit.page.type('#find input', fullName.slice(0, 6).toLowerCase())
    const found = `#people ::-p-text(${fullName})`
    await visit.page.locator(found).click()
    await expect.poll(() => isShown('#edit')).toBe(true)
  }

  const fill = (name: string, value: string) =>
    visit.page.locator(`#edit [name=${name}]`).fill(value)
  const save = () => visit.page.click('#edit button')

  /** A request of an administrator. */
  const send = (method: string, path: string, body?: object) =>
    fetch(`${service.baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })

  /** A new informer of a name. */
  async function newInformer(first_name: string) {
    const response = await send('POST', '/informers', { first_name, last_name: 'Prado' })
    return ((await response.json()) as { data: { id: string } }).data.id
  }

  it('suggests categories while one types, and saves the chosen one', async () => {
    const id = await newInformer('Benedito')
    await open('Benedito Prado')
    await visit.expectAccessible()
    await visit.page.type('[name=category_id]', 'bispo aux')
    await expect
      .poll(() => evaluate("document.querySelector('#options').textContent"))
      .toContain('Bispo Auxiliar')
    await fill('category_id', 'Bispo Auxiliar')
    await save()
    await expectText('#notice').toBe('Informante atualizado com sucesso.')
    const { data } = (await (await send('GET', `/informers/${id}`)).json()) as {
      data: { category: { name: string } }
    }
    expect(data.category.name).toBe('Bispo Auxiliar')
    await leave('Benedito', 'Prado')
  })

  it('shows what a 422 says beside each field, and the focus in the first', async () => {
    await newInformer('Casimiro')
    await open('Casimiro Prado')
    await fill('first_name', ' ')
    await fill('email', 'casimiro')
    await save()
    await expectText('#e1').toBe('O campo nome é obrigatório.')
    await expectText('#e3').toBe('O email deve ter um formato válido.')
    await expectText('#notice').toBe('Os dados fornecidos são inválidos.')
    await visit.expectAccessible()
    expect(await evaluate('document.activeElement.name')).toBe('first_name')
    expect(
      await evaluate("document.querySelectorAll('[aria-invalid=true]').length"),
    ).toBe(2)
    await fill('first_name', 'Casimira')
    await fill('email', 'casimira@example.org')
    await save()
    await expectText('#notice').toBe('Informante atualizado com sucesso.')
    expect(
      await evaluate("document.querySelectorAll('[aria-invalid=true]').length"),
    ).toBe(0)
    await leave('Casimir', 'Prado', 'example.org')
  })

  it('overwrites nothing that somebody else has changed meanwhile', async () => {
    const id = await newInformer('Eusébio')
    await open('Eusébio Prado')
    expect((await send('PATCH', `/informers/${id}`, { last_name: 'Lima' })).status).toBe(
      200,
    )
    await fill('first_name', 'Eusébia')
    await save()
    await expectText('#notice').toBe('O registro mudou desde que foi lido.')

    await visit.page.click('#again')
    const valueOf = (name: string) =>
      evaluate(`document.querySelector('#edit [name=${name}]').value`)
    await expect.poll(() => valueOf('last_name')).toBe('Lima')
    expect(await valueOf('first_name')).toBe('Eusébio')
    await fill('first_name', 'Eusébia')
    await save()
    await expectText('#notice').toBe('Informante atualizado com sucesso.')
    await fill('first_name', 'Eugênia') // the ETag of the answer is good for the next change
    await save()
    await expectText('#notice').toBe('Informante atualizado com sucesso.')
    const { data } = (await (await send('GET', `/informers/${id}`)).json()) as {
      data: { full_name: string }
    }
    expect(data.full_name).toBe('Eugênia Lima')
  })

  it('shows nothing that comes after the logout', async () => {
    await newInformer('Demétrio')
    await logInToOffice()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const hold = async (request: HTTPRequest) => {
      if (request.method() === 'GET' && request.url().includes('/informers?')) await held
      await request.continue().catch(() => undefined) // it is aborted
    }
    await withRequests(hold, async () => {
      const asked = visit.page.waitForRequest((request) =>
        request.url().includes('/informers?'),
      )
      await visit.page.type('#find input', 'demet')
      await asked
      await leave('Demétrio', 'demet')
      release()
    })
    await expectText('#people').toBe('')
    await expectText('#notice').toBe('')
  })

  it('is served by the command that stands in it', async () => {
    const [, command = ''] = /^ +(node -e .+)$/m.exec(source) ?? []
    const port = await freePort()
    const server = spawn('bash', ['-c', `exec ${command.replace('5173', String(port))}`])
    onTestFinished(() => void server.kill())
    const served = async () =>
      (await fetch(`http://127.0.0.1:${port}`).catch(() => null))?.text() ?? ''
    await expect.poll(served, { timeout: 10_000 }).toBe(source)
    await visit.page.goto(`http://127.0.0.1:${port}`)
    await expectText('h1').toBe('Consulta aos informantes')
  })

  it.each([
    ['ana@example.org', 'Errada2026', 'Credenciais inválidas.'],
    ['529.982.247-25', DEMO_PASSWORD, 'Grupo ou processo não encontrado.'],
  ])('tells %s why there is no cover', async (user, password, text) => {
    const informer = { first_name: 'Rita', cpf: '52998224725', password: DEMO_PASSWORD }
    await send('POST', '/informers', informer)
    await logIn(user, password)
    await expectText('#notice').toBe(text)
    expect(await isShown('#cover')).toBe(false)
    expect(await isShown('#login')).toBe(true)
    expect(await isShown('[name=code]')).toBe(false)
  })

  it('asks for a code where the service does, and sends it', async () => {
    const { email, password, code } = await newFactorOwner(service)
    await logIn(email, password)
    await expectText('#notice').toBe('Informe o código do segundo fator.')
    await expect.poll(() => evaluate('document.activeElement.name')).toBe('code')
    await visit.expectAccessible()
    await visit.page.type('[name=code]', code)
    await visit.page.click('#login button')
    await expectText('#office').toContain('Informantes')
  })

  it('goes back to the login, with a word, when the token has ended', async () => {
    await logIn('bento@example.org')
    await expectText('#person').toContain('Bento')
    const Authorization = `Bearer ${await evaluate("sessionStorage.getItem('token')")}`
    const logout = `${service.baseUrl}/auth/logout`
    await fetch(logout, { method: 'POST', headers: { Authorization } })
    await visit.page.reload()
    await expectText('#notice').toBe('Sua sessão terminou. Entre de novo.')
    expect(await isShown('#login')).toBe(true)
    expect(await evaluate('sessionStorage.length')).toBe(0)
  })

  it('stays logged in for two hours', async () => {
    // long timers wait until the test moves the clock
    const script = await visit.page.evaluateOnNewDocument(`
      const start = setTimeout
      var waiting = []
      setTimeout = (work, ms) => (ms < 60_000 ? start(work, ms) : waiting.push({ work, ms }))
    `)
    onTestFinished(() =>
      visit.page.removeScriptToEvaluateOnNewDocument(script.identifier),
    )
    const tokenNow = () => evaluate("sessionStorage.getItem('token')")
    const moveClock = () => evaluate('waiting.pop().work(), undefined')

    await visit.page.goto(origin)
    await logIn('ana@example.org')
    await expectCover()
    for (let passed = 0; passed < 2 * HOUR_MS;) {
      const token = await tokenNow()
      const ms = (await evaluate('waiting.at(-1).ms')) as number
      expect(ms).toBeLessThan(HOUR_MS)
      await moveClock()
      await expect.poll(tokenNow).not.toBe(token)
      passed += ms
    }
  })

  it('searches categories while one types, and aborts what is overtaken', async () => {
    await expectText('#count').toMatch(/^10 de 100$/)
    const searched: (string | null)[] = []
    const failed: (string | undefined)[] = []
    const typeAtOnce = (...texts: string[]) =>
      evaluate(`for (const text of ${JSON.stringify(texts)}) {
        document.getElementById('search').value = text
        document.getElementById('search').dispatchEvent(new Event('input'))
      }`)
    const hold = (request: HTTPRequest) => {
      const { pathname, searchParams } = new URL(request.url())
      if (!pathname.endsWith('/categories')) return request.continue()
      searched.push(searchParams.get('search'))
      if (searchParams.get('search') !== 'con') return request.continue()
    }
    const noteFailure = (request: HTTPRequest) =>
      void failed.push(request.failure()?.errorText)
    visit.page.on('requestfailed', noteFailure)
    await withRequests(hold, async () => {
      await typeAtOnce('c', 'co', 'con')
      await expect.poll(() => searched).toEqual(['con'])
      await typeAtOnce('cone', 'coneg', 'conego')
      await expectText('#categories').toContain('Cônego')
    })
    visit.page.off('requestfailed', noteFailure)
    expect(searched).toEqual(['con', 'conego'])
    expect(failed).toEqual(['net::ERR_ABORTED'])
    expect(await evaluate("document.getElementById('notice').innerText")).toBe('')
  })

  it('says that nothing answers, for instance where it is opened as a file', async () => {
    await visit.page.goto(pathToFileURL('docs/example-front-end.html').href)
    await logIn('ana@example.org')
    await expectText('#notice').toBe('O serviço não respondeu.')
  })

  /** Lets a function continue, answer or hold the requests of the page. */
  async function withRequests(
    handle: (request: HTTPRequest) => unknown,
    action: () => Promise<void>,
  ) {
    await visit.page.setRequestInterception(true)
    visit.page.on('request', handle)
    await action()
    visit.page.off('request', handle)
    await visit.page.setRequestInterception(false)
  }
})
