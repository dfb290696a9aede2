import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runCommand } from './lib/command-line.ts'
import { buildWorker, builtModules } from './lib/local-server.ts'

const USAGE = `Usage: npm run bundle
Measures the size of the deployed Worker. Fails if the code is too large, because a small Worker starts quickly.`

const LIMIT_KIB = 75

await runCommand({ verb: 'measure the bundle', usage: USAGE, options: {} }, async () => {
  console.log('Building the Worker …')
  const folder = join('.wrangler', 'bundle')
  await buildWorker(folder)
  const [code, ...data] = builtModules(folder).map(({ path }) => readFileSync(path))
  const kib = gzipSync(code ?? '').byteLength / 1024
  const dataKib = data.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1024
  console.log(`Code: ${kib.toFixed(1)} KiB gzip, limit ${LIMIT_KIB}.`)
  console.log(`Documentation and pages: ${dataKib.toFixed(1)} KiB gzip, not parsed at startup.`)
  if (kib > LIMIT_KIB) process.exitCode = 1
})
