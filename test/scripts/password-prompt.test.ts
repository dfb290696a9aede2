import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { promptNewPassword, promptPassword } from '../../scripts/lib/password-prompt.ts'

/** A terminal: like a real one, it shows what is typed unless a program has set its raw mode. */
function openTerminal() {
  let screen = ''
  let isRaw = false
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(mode: boolean) {
      isRaw = mode
    },
  })
  const stdout = new PassThrough().on('data', (text) => {
    screen += text
  })
  return {
    stdin,
    stdout,
    screen: () => screen,
    isRaw: () => isRaw,
    /** Types a line once the screen ends in a prompt. */
    async type(prompt: string, line: string) {
      await vi.waitFor(() => expect(screen.endsWith(prompt)).toBe(true))
      if (!isRaw) screen += `${line}\n`
      stdin.write(`${line}\r`)
    },
  }
}

function pipe(text: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  stdin.end(text)
  return { stdin, stdout: new PassThrough() }
}

describe('promptNewPassword', () => {
  it('accepts a password that is typed twice, and shows neither', async () => {
    const terminal = openTerminal()
    const password = promptNewPassword(terminal)
    await terminal.type('Password: ', 'Segredo ção 1')
    await terminal.type('Again: ', 'Segredo ção 1')
    expect(await password).toBe('Segredo ção 1')
    expect(terminal.screen()).toBe('Password: \nAgain: \n')
    expect(terminal.isRaw()).toBe(false)
  })

  it.each([
    ['Segredo1', 'Segredo2'],
    ['Segredo1', 'segredo1'],
    ['Segredo1', ''],
    ['', 'Segredo1'],
  ])('rejects %j and then %j, and shows neither', async (first, second) => {
    const terminal = openTerminal()
    const password = expect(promptNewPassword(terminal)).rejects.toThrow('The two passwords differ.')
    await terminal.type('Password: ', first)
    await terminal.type('Again: ', second)
    await password
    expect(terminal.screen()).toBe('Password: \nAgain: \n')
  })

  it('takes what is corrected with the backspace key', async () => {
    const terminal = openTerminal()
    const password = promptNewPassword(terminal)
    await terminal.type('Password: ', 'Segredo2\x7f1')
    await terminal.type('Again: ', 'Segredo1')
    expect(await password).toBe('Segredo1')
  })
})

describe('promptPassword', () => {
  it('prompts once in a terminal', async () => {
    const terminal = openTerminal()
    const password = promptPassword(terminal)
    await terminal.type('Password: ', 'Segredo1')
    expect(await password).toBe('Segredo1')
    expect(terminal.screen()).toBe('Password: \n')
  })
})

describe.each([
  ['promptNewPassword', promptNewPassword],
  ['promptPassword', promptPassword],
])('%s without a terminal', (_, prompt) => {
  it.each([
    ['Segredo1\nanother line\n', 'Segredo1'],
    ['Segredo1', 'Segredo1'],
    ['', ''],
  ])('reads the first line of %j', async (text, expected) => {
    expect(await prompt(pipe(text))).toBe(expected)
  })
})
