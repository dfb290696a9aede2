import './changed-assets.ts'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

// Bundles the Worker in a folder: node scripts/build/worker.ts FOLDER [--development]
// As wrangler would, but with what is imported later in files of its own: an isolate evaluates only
// what it serves. Wrangler has no option for that.

const { values, positionals } = parseArgs({
  options: { development: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [outdir] = positionals
if (!outdir) throw new Error('node scripts/build/worker.ts FOLDER [--development]')

rmSync(outdir, { recursive: true, force: true })
const built = build({
  entryPoints: ['src/index.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['node:*'],
  loader: { '.bin': 'copy' },
  charset: 'utf8',
  sourcemap: true,
  minify: !values.development,
  define: values.development ? { SHOW_MESSAGES: 'true' } : {}, // of exceptions: src/log.ts
  logLevel: 'warning',
})
await built.catch(() => process.exit(1)) // esbuild has printed why
