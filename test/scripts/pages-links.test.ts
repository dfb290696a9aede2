import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visitor } from './browser.ts'
import { CHROMIUM } from './chromium.ts'
import { serveDemo } from './demo-service.ts'

const PASSWORDS = { password: 'Senha2027', repeated: 'Senha2027' }

describe.skipIf(!existsSync(CHROMIUM))('without a good link, in Chromium', () => {
  const visit = visitor()
  let service: Awaited<ReturnType<typeof serveDemo>>
  let origin: string

  beforeAll(async () => {
    service = await serveDemo({
      EMAIL_FROM: 'Chancelaria <nao-responda@example.org>',
      OFFICE_CONTACT: 'Irmã Ana, (11) 5555-0100',
    })
    origin = new URL(service.baseUrl).origin
  })
  afterAll(() => service?.stop())

  it('who forgot the password is asked for the email, and sees whose the page is', async () => {
    await visit.open(`${origin}/.well-known/change-password`)
    expect(visit.page.url()).toBe(`${origin}/redefinir-senha`)
    expect(await visit.heading()).toBe('Redefinir a senha')
    expect(await visit.page.title()).toBe('Redefinir a senha · Chancelaria')

    const shown = await visit.text()
    expect(shown).toMatch(/^Chancelaria\n/)
    expect(shown).toMatch(/Fale conosco:\nIrmã Ana, \(11\) 5555-0100$/)
    expect(shown).toContain('Escreva o email do seu cadastro')
    expect(shown).not.toMatch(/Abra|mandamos|expirou|recarregada/)
    await visit.expectAccessible()
  })

  it('who asked for a link sees the address, and may correct it', async () => {
    await visit.open(`${origin}/redefinir-senha`)
    await visit.fill({ email: 'ana@exmaple.org' })
    await visit.submit()
    await visit.expectFocus('Pedido recebido')
    const shown = await visit.text()
    expect(shown).toContain('Se houver um cadastro com este email')
    expect(shown).toContain('O endereço que você escreveu: ana@exmaple.org')

    await visit.page.click('#requested a')
    await visit.page.waitForSelector('#request-link:not([hidden])')
    expect(visit.page.url()).toBe(`${origin}/redefinir-senha`)
    expect(await visit.heading()).toBe('Redefinir a senha')
  })

  it('who reloads a page reads that the link of the email still works', async () => {
    await visit.open(`${origin}/redefinir-senha#token=x`)
    for (let time = 0; time < 2; time += 1) {
      await visit.page.reload()
      await visit.awaitFocus('Abra o link outra vez')
      expect(await visit.text()).toContain('O da mensagem continua valendo')
    }
    await visit.expectAccessible()
  })

  it('who reloads the page of a link that is not valid does not', async () => {
    await visit.open(`${origin}/redefinir-senha#token=x`)
    await visit.fill(PASSWORDS)
    await visit.submit()
    await visit.expectFocus('O link de redefinição é inválido ou expirou.')

    await visit.page.reload()
    expect(await visit.heading()).toBe('Redefinir a senha')
    expect(await visit.text()).not.toContain('recarregada')
  })

  it.each([
    ['%23token=', 'a_-b', '.'],
    ['%23token=', 'c', '%3E'],
    ['?%23token=', 'd', ''],
    ['?utm=1&token=', 'e', ')'],
    ['#token%3D', 'f', ','],
    ['#token=', 'g', '.)'],
  ])('a token is found after %s: %s, without %s', async (begin, token, end) => {
    const page = `${origin}/confirmar-email`
    await visit.open(page + begin + token + end)
    expect(visit.page.url()).toBe(page)

    const sent = visit.page.waitForRequest(`${origin}/v1/auth/email/verify`)
    await visit.submit()
    const request = await sent
    expect(request.postData()).toBe(`{"token":"${token}"}`)
    await visit.awaitFocus('O link de confirmação é inválido ou expirou.')
  })

  it('an address that does not exist is a page, which leads to the others', async () => {
    await visit.open(`${origin}/redefinir-senha.`)
    expect(await visit.heading()).toBe('Página não encontrada')
    expect(await visit.page.title()).toBe('Página não encontrada · Chancelaria')
    await visit.expectAccessible()

    await visit.page.click('main a')
    await visit.page.waitForSelector('#request-link:not([hidden])')
    expect(visit.page.url()).toBe(`${origin}/redefinir-senha`)
  })
})
