import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { cpuMilliseconds } from './lib/child-processes.ts'
import { runCommand } from './lib/command-line.ts'
import { workerOptions } from './lib/configuration.ts'
import { buildWorker, builtModules } from './lib/local-server.ts'
import { median } from './lib/median.ts'

const USAGE = `Usage: npm run bundle
Measures the size of the deployed Worker, and its startup CPU compared to a constant Worker. Fails if the code is too
large, because a small Worker starts quickly everywhere.`

const LIMIT_KIB = 75
const ROUNDS = 3
const ISOLATES = 9

await runCommand({ verb: 'measure the bundle', usage: USAGE, options: {} }, async () => {
  console.log('Building the Worker …')
  const service = await build('src/index.ts')
  const constant = await build('scripts/bench/constant.ts')
  const [code, ...data] = service.map(({ path }) => readFileSync(path))
  const kib = gzipSync(code ?? '').byteLength / 1024
  const dataKib = data.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1024
  console.log(`Code: ${kib.toFixed(1)} KiB gzip, limit ${LIMIT_KIB}.`)
  console.log(`Documentation: ${dataKib.toFixed(1)} KiB gzip, not parsed at startup.`)
  if (kib > LIMIT_KIB) process.exitCode = 1

  console.log('Starting Workers …')
  const rounds: { service: number; constant: number }[] = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ service: await startCost(service), constant: await startCost(constant) })
  const ratio = median(rounds.map((round) => round.service / round.constant)).toFixed(1)
  const [own, bare] = [rounds.map((round) => round.service), rounds.map((round) => round.constant)]
  console.log(
    `Start: ${median(own).toFixed(0)} ms of CPU, ${ratio} times the constant Worker's ${median(bare).toFixed(0)} ms.`,
  )
})

type Modules = ReturnType<typeof builtModules>

async function build(script: string): Promise<Modules> {
  const folder = join('.wrangler', 'bundle', script)
  await buildWorker(folder, script)
  return builtModules(folder, script)
}

/** The CPU to start one more isolate of a Worker, in milliseconds. */
async function startCost(modules: Modules): Promise<number> {
  return ((await cpuOfStart(modules, 1 + ISOLATES)) - (await cpuOfStart(modules, 1))) / ISOLATES
}

async function cpuOfStart(modules: Modules, isolates: number): Promise<number> {
  const { compatibilityDate, compatibilityFlags } = workerOptions()
  const workers = Array.from({ length: isolates }, (_, index) => ({
    name: `isolate-${index}`,
    modulesRoot: '.wrangler',
    modules,
    compatibilityDate,
    compatibilityFlags,
  }))
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers, cf: false }))
  try {
    await miniflare.ready
    return cpuMilliseconds()
  } finally {
    await miniflare.dispose()
  }
}
