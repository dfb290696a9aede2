import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runCommand } from './lib/command-line.ts'
import { buildWorker } from './lib/local-server.ts'
import { sourcePlaces } from './lib/source-places.ts'

const USAGE = `Usage: npm run stack < FILE
Prints lines of a deployed service's log with places in its sources, src/index.ts:12:3, instead of
those in the uploaded code, index.js:1:2345. Without a file paste the lines, and end by Ctrl-D.
Check out the commit that was deployed first: the tag of the version, which the log says.`

const command = {
  verb: 'find the sources',
  usage: USAGE,
  options: {},
}

await runCommand(command, async () => {
  console.error('Building the Worker …')
  const folder = join('.wrangler', 'stack')
  await buildWorker(folder)

  const withSources = sourcePlaces(folder)
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(withSources(line))
  }
})
