import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { runCommand } from './lib/command-line.ts'
import { localStateDir, lockStateDir, stateFiles } from './lib/local-state.ts'

const USAGE = `Usage: npm run reset -- [--yes]
Deletes the local database after confirmation. STATE_DIR=… sets another folder.
  --yes  skips the confirmation`

const options = { yes: { type: 'boolean', default: false } } as const
await runCommand({ verb: 'reset', usage: USAGE, options }, async ({ yes }) => {
  const stateDir = localStateDir()
  await lockStateDir(stateDir)
  if (!yes && !(await isConfirmed(`Delete the local data in ${stateDir}? Type yes: `)))
    return console.log('Nothing was deleted.')
  const { database, build } = stateFiles(stateDir)
  for (const folder of [database, build]) rmSync(folder, { recursive: true, force: true })
  console.log('Deleted. npm start creates the demo data again.')
})

async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  process.stdout.write(question)
  for await (const line of terminal) return line.trim() === 'yes'
  return false
}
