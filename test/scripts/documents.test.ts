import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { logIn } from '../../scripts/lib/demo.ts'
import { freePort } from '../../scripts/lib/local-run.ts'
import { temporaryState } from '../../scripts/lib/service-process.ts'
import { demoService } from './demo-service.ts'

/** A command as a document has it, and the output that stands behind it. */
type Block = { command: string; output: string }

/** The commands of a document, or of one of its sections. */
function blocksOf(document: string, heading = ''): Block[] {
  const text = readFileSync(document, 'utf8')
  const section = heading ? text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] : text
  const blocks = [...(section ?? '').matchAll(/^ *```(\w*)\n([\s\S]*?)```/gm)]
  return blocks.flatMap(([, language, command = ''], index) => {
    const [, follows, output = ''] = blocks[index + 1] ?? []
    return language === 'sh' ? { command, output: follows === 'sh' ? '' : output } : []
  })
}

const END = '<end of the block>'

type Substitutes = {
  stateDir: string
  baseUrl?: string
  token?: string
  mailedToken?: () => Promise<string>
  env?: Record<string, string>
}

/**
 * Types blocks into a shell, one after another; returns what each prints.
 * @param substitutes where the service is; because a minute has ten logins from an address, curl has another each time,
 *   and other commands an access token in the place of `--login`
 */
async function run(
  blocks: Block[],
  { stateDir, baseUrl = '', token = '', mailedToken, env: own = {} }: Substitutes,
) {
  writeFileSync(
    join(stateDir, '.curlrc'),
    `header = "CF-Connecting-IP: 198.51.${randomInt(256)}.${randomInt(256)}"`,
  )
  const env = {
    ...process.env,
    CURL_HOME: stateDir,
    STATE_DIR: stateDir,
    ACCESS_TOKEN: token,
    ...own,
  }
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    env: { ...env, npm_config_loglevel: 'silent' },
    detached: true,
  })
  onTestFinished(() => endGroup(shell.pid))
  const printed = { stdout: '', stderr: '' }
  shell.stdout.on('data', (chunk) => {
    printed.stdout += chunk
  })
  shell.stderr.on('data', (chunk) => {
    printed.stderr += chunk
  })
  const outputs: string[] = []
  for (const { command } of blocks) {
    const typed = command
      .replaceAll('_SZA…', (command.includes('_SZA…') && (await mailedToken?.())) || '')
      .replaceAll('http://127.0.0.1:8787/v1', baseUrl)
      .replaceAll(' --login admin@example.org', '')
      .replaceAll('.wrangler/office', join(stateDir, 'office'))
      .replaceAll(/\w+\.csv/g, (file) => join(stateDir, file))
    shell.stdin.write(`${typed}\necho '${END}'\n`)
    const isOver = () => printed.stdout.includes(END) || shell.exitCode !== null
    await vi.waitUntil(isOver, { timeout: 60_000, interval: 10 })
    expect(printed.stdout, `${command}${printed.stderr}`).toContain(END)
    outputs.push(printed.stdout.replace(`${END}\n`, ''))
    printed.stdout = ''
  }
  shell.stdin.end()
  await once(shell, 'close')
  return outputs
}

/** Ends what a shell has left running. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // nothing is left
  }
}

/** What a command prints, without what differs from run to run; JSON is parsed, because documents lay it out. */
function comparable(output: string): unknown[] {
  const text = output
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/ETag: "[^"]+"/, 'ETag: <etag>')
    .replace(/\d+ (of|commits|imported)/g, '<number> $1')
    .replace('[…]', '"…"')
    .replaceAll('\r', '')
  return text
    .trim()
    .split(/(?<=\})\s*(?=\{)/)
    .map((part) =>
      part.startsWith('{')
        ? JSON.parse(part, (_, value) => (value === '…' ? expect.anything() : value))
        : part,
    )
}

describe('the documents', () => {
  const service = demoService()
  const documents = {
    readme: blocksOf('README.md', 'Two commands').slice(1), // after npm ci && npm start
    tour: blocksOf('docs/tour.md'),
    export: blocksOf('docs/operating.md', 'A spreadsheet of informers'),
    import: blocksOf('docs/README.pt-BR.md', 'Muitas pessoas de uma vez'),
    tasks: blocksOf('docs/operating.md', 'Daily tasks'), // ends all sessions
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
      const outputs = await run(documents[name], { ...service, token, mailedToken })
      ran.push(
        ...documents[name].map((block, index) => ({
          ...block,
          printed: outputs[index] ?? '',
        })),
      )
    }
    return ran
  }

  it('say what their commands print', async () => {
    const ran = await runAll(
      ['readme', 'tour', 'export', 'import', 'tasks'],
      service.token,
    )
    expect(ran.filter(({ output }) => output).length).toBeGreaterThan(10)
    for (const { command, output, printed } of ran)
      if (output.startsWith('  To:')) expectEmail(output)
      else if (output) expect(comparable(printed), command).toEqual(comparable(output))
  })

  it('can be followed again, in another order', async () => {
    const token = await logIn(service.baseUrl, 'admin@example.org')
    const ran = await runAll(['import', 'export', 'tour', 'tasks', 'readme'], token)
    const printed = ran.map((block) => block.printed).join('')
    expect(printed.match(/"success":true/g)?.length).toBeGreaterThan(30)
    expect(printed).not.toMatch(/"success":false|Recusados: [1-9]/)
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

it('a year of an office works as docs/operating.md has it, twice', async () => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  const blocks = blocksOf('docs/operating.md', 'A year of an office')
  const PORT = String(await freePort())
  const baseUrl = `http://127.0.0.1:${PORT}/v1`
  for (const _ of ['once', 'again']) {
    const outputs = await run(blocks, { stateDir, baseUrl, env: { PORT } })
    const responses =
      outputs.join('').match(/^\{"success".+$|(?<=\})\{"success".+$/gm) ?? []
    expectYear(responses.join('').split(/(?=\{"success")/))
  }
})

/** What the office has asked for, as its data show it. */
function expectYear(responses: string[]): void {
  const waiting = responses.find(
    (line) =>
      line.includes('"questionnaire_status":"Pendente"') && line.includes('pagination'),
  )
  const people = JSON.parse(waiting ?? '{}').data as { full_name: string }[]
  expect(people.map(({ full_name }) => full_name)).toEqual(['Rui Prado'])

  const audit = JSON.parse(responses.at(-1) ?? '{}').data as {
    actor_name: string
    action: string
  }[]
  expect(new Set(audit.map(({ actor_name }) => actor_name))).toEqual(new Set(['Maria']))
  expect(audit.map(({ action }) => action)).toEqual(
    expect.arrayContaining([
      'administrator.deleted',
      'process.deleted',
      'informer.deleted',
      'group.dissociated',
    ]),
  )
}
