import { afterAll, describe, expect, it, vi } from 'vitest'
import { logIn } from '../../scripts/commands/provisioning/demo.ts'
import { createRepository } from '../support/git/repository.ts'
import { demoService } from './demo-service.ts'
import { type Block, blocksOf, expectOutput, run, withOutputs } from './documents.ts'

/** Pages whose commands share a shell: those of the first are used by the others. */
const OPERATING = ['calling', 'provisioning', 'backup', 'changelog-import']

describe('README, tour and guides for operators', () => {
  const service = demoService()
  const repository = createRepository()
  repository.commit('main', 'feat: primeira função', [], 0)
  repository.flush()
  afterAll(repository.remove)
  const documents = {
    readme: blocksOf('README.md'),
    tour: blocksOf('docs/tour.md'),
    operating: OPERATING.flatMap((page) => blocksOf(`docs/${page}.md`)),
  }
  const mailedToken = async () => {
    await service.runCronTrigger()
    return vi.waitUntil(
      () => /To: rita@[^]*?#token=(\S+)/.exec(service.emails.texts)?.[1] ?? '',
      {
        timeout: 60_000,
      },
    )
  }

  /** Runs documents one after another, and returns the commands with what they printed. */
  async function runAll(names: (keyof typeof documents)[], token: string) {
    const ran: (Block & { printed: string })[] = []
    for (const name of names) {
      const options = { ...service, repo: repository.folder, token, mailedToken }
      const outputs = await run(documents[name], options)
      ran.push(...withOutputs(documents[name], outputs))
    }
    return ran
  }

  it('say what their commands print', async () => {
    const ran = await runAll(['readme', 'tour', 'operating'], service.token)
    expect(ran.filter(({ output }) => output).length).toBeGreaterThan(7)
    for (const { command, output, printed } of ran) {
      if (output.startsWith('  To:')) expectEmail(output)
      else expectOutput(command, output, printed)
    }
  })

  it('can be followed again, but for the guides for operators', async () => {
    const token = await logIn(service.baseUrl, 'admin@example.org')
    const ran = await runAll(['tour', 'readme'], token)
    const printed = ran.map((block) => block.printed).join('')
    expect(printed.match(/"success":true/g)?.length).toBeGreaterThan(5)
    expect(printed).not.toMatch(/"success":false/)
  })

  /** The terminal of `npm start` shows an email. */
  function expectEmail(text: string) {
    const lines = text
      .split('\n')
      .filter((line) => line.trim() && !/…|#token=/.test(line))
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) expect(service.emails.texts).toContain(line.trim())
  }
})
