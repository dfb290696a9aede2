import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/lib/service-process.ts'

/** Runs a command where no file may become larger than a few KB, which everybody may try. */
function runWithoutSpace(stateDir: string, command: string) {
  const line = `ulimit -f 8; exec node scripts/${command}`
  const env = { ...process.env, STATE_DIR: stateDir, PORT: '', NODE_COMPILE_CACHE: '' }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    encoding: 'utf8',
    env,
    input: 'a good Passw0rd\n',
  })
  return { status, stdout, stderr }
}

it.each([
  ['start', 'start.ts', () => resolve('.wrangler')],
  [
    'change the account',
    'admin.ts create --email ana@example.org --first-name Ana',
    (stateDir: string) => stateDir,
  ],
])('says on one line that the disk is full: Cannot %s', (verb, command, folder) => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  const full = `the disk of ${folder(stateDir)} has no room for 16 MB (file too large).`
  expect(runWithoutSpace(stateDir, command)).toEqual({
    status: 1,
    stdout: '',
    stderr: `Cannot ${verb}: ${full}\n`,
  })
})

it('deletes the local data where the disk is full', () => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  expect(runWithoutSpace(stateDir, 'reset.ts --yes')).toMatchObject({
    status: 0,
    stderr: '',
  })
})
