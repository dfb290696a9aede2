import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { demoService } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

describe('npm run login', () => {
  const service = demoService()
  const logIn = (password: string) =>
    runInProcess('login', [service.baseUrl, '--login', 'ana@example.org'], {
      input: `${password}\n`,
    })

  it('prints nothing but an access token', async () => {
    const { code, stdout, stderr } = await logIn(DEMO_PASSWORD)
    expect([code, stderr]).toEqual([0, ''])
    const headers = { Authorization: `Bearer ${stdout.replace(/\n$/, '')}` }
    const response = await fetch(`${service.baseUrl}/auth/me`, { headers })
    expect(await response.json()).toMatchObject({ data: { email: 'ana@example.org' } })
  })

  it('prints no token where the service refuses', async () => {
    const { code, stdout, stderr } = await logIn('Errada2026')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Não foi possível entrar: .+ 401 Credenciais inválidas\.\n$/)
  })
})
