import { rmSync } from 'node:fs'
import { FLAG, runCommand } from '../lib/command-line.ts'
import { promptConfirmation } from '../lib/prompts.ts'
import { localStateDir, lockStateDir, stateFiles } from '../lib/state-folder.ts'

const USAGE = `Usage: npm run reset -- [--yes]
Deletes the local database after confirmation. STATE_DIR=… sets another folder.
  --yes  skips the confirmation`

const command = {
  verb: 'reset',
  usage: USAGE,
  options: { yes: FLAG },
}

await runCommand(command, async ({ yes }) => {
  const stateDir = localStateDir()
  lockStateDir(stateDir)
  const isWanted =
    yes || (await promptConfirmation(`Delete the local data in ${stateDir}?`))
  if (!isWanted) return console.log('Nothing was deleted.')

  const { database, build } = stateFiles(stateDir)
  for (const folder of [database, build]) {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log('Deleted. npm start fills an empty database with demo data.')
})
