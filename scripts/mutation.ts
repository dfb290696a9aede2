import { spawnSync } from 'node:child_process'
import { runCommand } from './lib/command-line.ts'

const USAGE = `Usage: npm run mutation -- [--mutate GLOB]… [--tests GLOB]… [--node]
Changes the code in many small ways and reports the changes that no test notices. Installs Stryker first.
The reports are in .wrangler/mutation.
  --mutate  the files to change, by default all that have tests in workerd; FILE:10-20 for some lines
  --tests   the tests to run, by default all in workerd. Code that runs at startup runs all of them for each change.
  --node    runs the tests in Node, which starts faster: for tests of pure functions`

/** Its own folder, so that `npm ci` does not install Stryker. */
const FOLDER = 'scripts/mutation'
const STRYKER = `${FOLDER}/node_modules/@stryker-mutator/core/bin/stryker.js`

const options = {
  mutate: { type: 'string', multiple: true },
  tests: { type: 'string', multiple: true },
  node: { type: 'boolean', default: false },
} as const

await runCommand({ verb: 'mutate', usage: USAGE, options }, ({ mutate, tests, node }) => {
  run('npm', ['ci', '--prefix', FOLDER, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'])
  if (tests) process.env.MUTATION_TESTS = tests.join(',')
  if (node) process.env.MUTATION_IN_NODE = 'true'
  const files = mutate ? ['--mutate', mutate.join(',')] : []
  run(process.execPath, [STRYKER, 'run', `${FOLDER}/stryker.config.json`, ...files])
})

/** @throws if the program fails */
function run(program: string, args: string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.`)
}
