import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FLAG, runCommand } from '../lib/command-line.ts'
import { promptConfirmation } from '../lib/prompts.ts'
import { localStateDir, lockStateDir, stateFiles } from '../lib/state-folder.ts'

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

    const { data, build } = stateFiles(stateDir)
    const ofRuntime = globSync('*/miniflare-*', { cwd: data }).map((name) =>
      join(data, name),
    )
    for (const folder of [...ofRuntime, build]) {
      rmSync(folder, { recursive: true, force: true })
    }
    console.log('Deleted. npm start fills an empty database with demo data.')
  },
)
