import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { runCommand } from './lib/command-line.ts'
import { claimStateDir, localStateDir, stateFiles } from './lib/local-state.ts'

const USAGE = `Usage: npm run reset -- [--yes]
Deletes the data of the local database, after asking. STATE_DIR=… means another folder.
  --yes  does not ask`

const options = { yes: { type: 'boolean', default: false } } as const
await runCommand({ verb: 'reset', usage: USAGE, options }, async ({ yes }) => {
  const stateDir = localStateDir()
  await claimStateDir(stateDir)
  if (!yes && !(await isConfirmed(`Delete the local data in ${stateDir}? Type yes: `)))
    return console.log('Nothing was deleted.')
  const { database, build } = stateFiles(stateDir)
  for (const folder of [database, build]) rmSync(folder, { recursive: true, force: true })
  console.log('Deleted. npm start begins again with demo data.')
})

async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  process.stdout.write(question)
  for await (const line of terminal) return line.trim() === 'yes'
  return false
}
