import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runCommand } from '../lib/command-line.ts'
import { buildWorker, builtModules } from '../lib/local-server.ts'

const USAGE = `Usage: npm run bundle
Measures the size of the deployed Worker.
Fails if the code is too large, because a small Worker starts quickly.`

const LIMIT_KIB = 96

await runCommand({ verb: 'measure', usage: USAGE, options: {} }, async () => {
  console.log('Building the Worker …')
  const folder = join('.wrangler', 'bundle')
  await buildWorker(folder)
  const modules = builtModules(folder).map(({ path }) => readFileSync(path))
  const [code = '', ...data] = modules

  const codeKib = gzipSync(code).byteLength / 1024
  const dataBytes = data.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const dataKib = (dataBytes / 1024).toFixed(1)
  console.log(`Code: ${codeKib.toFixed(1)} KiB gzip, limit ${LIMIT_KIB}.`)
  console.log(
    `Documentation, pages, common passwords: ${dataKib} KiB gzip, not parsed at startup.`,
  )
  if (codeKib > LIMIT_KIB) {
    process.exitCode = 1
  }
})
