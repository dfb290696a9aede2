import { rmSync } from 'node:fs'
import { FLAG, runCommand } from '../lib/command-line.ts'
import { promptConfirmation } from '../lib/prompts.ts'
import {
  localStateDir,
  lockStateDir,
  runtimeFolders,
  stateFiles,
} from '../lib/state-folder.ts'

const USAGE = `Usage: npm run reset -- [--yes]
Deletes the local database after confirmation. STATE_DIR=… sets another folder.
  --yes  skips the confirmation`

await runCommand(
  { verb: 'reset', usage: USAGE, options: { yes: FLAG } },
  async ({ yes }) => {
    const stateDir = localStateDir()
    lockStateDir(stateDir)
    const question = `Delete the local data in ${stateDir}?`
    const isWanted = yes || (await promptConfirmation(question, '--yes'))
    if (!isWanted) return console.log('Nothing was deleted.')

    for (const folder of [...runtimeFolders(stateDir), stateFiles(stateDir).build]) {
      rmSync(folder, { recursive: true, force: true })
    }
    console.log('Deleted. npm start fills an empty database with demo data.')
  },
)
