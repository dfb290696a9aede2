import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildWorker } from './lib/local-server.ts'

const OUT = join('.wrangler', 'bundle')
const LIMIT_KIB = 75

// Weighs the Worker as `wrangler deploy` would upload it: a light Worker starts quickly everywhere.
await buildWorker(OUT)
const kib = gzipSync(readFileSync(join(OUT, 'index.js'))).byteLength / 1024
console.log(`Bundle: ${kib.toFixed(1)} KiB gzip, of at most ${LIMIT_KIB} KiB.`)
if (kib > LIMIT_KIB) process.exitCode = 1
