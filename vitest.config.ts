import './scripts/lib/wrangler-environment.ts'
import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

// for the commands that tests start, in any folder
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/node')
process.env.WRANGLER_LOG ??= 'error' // it would remark on secrets that tests need no file for
process.env.WRANGLER_WRITE_LOGS ??= 'false' // it would make again a folder that a test removed

const disk = tmpdir()
const memory = '/dev/shm' // on Linux
const MEMORY_BYTES = 512 * 1024 ** 2 // a container may have less

// Miniflare keeps its databases there, so that a test of the Worker waits for no disk.
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize >= MEMORY_BYTES) process.env.TMPDIR ??= memory
}

// set by .ci/run: test/support/depth.ts
const env = { DEEP: process.env.DEEP ?? '' }
const DEEP_FACTOR = env.DEEP === 'true' ? 10 : 1

/** Pure rules. They need no Worker: Node folds and classifies every character as workerd does. */
const PURE = ['test/domain/**/*.test.ts', 'test/changelog-import/**/*.test.ts']

const pure = defineConfig({
  test: {
    name: 'pure',
    env,
    isolate: false,
    pool: 'threads',
    testTimeout: 30_000 * DEEP_FACTOR,
    include: PURE,
    setupFiles: ['./test/support/deep-properties.ts'],
  },
})

// Everything else that the Worker runs is tested in workerd; the commands of package.json are
// tested from outside.
const worker = defineConfig({
  logLevel: 'error', // Vite would remark on source maps of packages
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          JWT_SECRET: 'a secret of the tests, longer than 32 bytes',
          MIGRATIONS: await readD1Migrations('./migrations'),
        },
      },
    })),
  ],
  test: {
    name: 'worker',
    env,
    isolate: false,
    testTimeout: 30_000 * DEEP_FACTOR,
    hookTimeout: 120_000,
    include: ['test/**/*.test.ts'],
    exclude: ['test/scripts/**', ...PURE],
    setupFiles: ['./test/support/deep-properties.ts', './test/setup.ts'],
    globalSetup: ['./test/support/assets.ts', './test/support/git/server.ts'],
  },
})

const scripts = defineConfig({
  test: {
    name: 'scripts',
    env: { ...env, TMPDIR: disk }, // no program may be executed in some systems' memory
    isolate: false, // most of a file's start is the loading of miniflare
    globalSetup: ['./test/support/assets.ts', './test/scripts/demo-state.ts'],
    include: ['test/scripts/**/*.test.ts'],
    testTimeout: 120_000 * DEEP_FACTOR,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } }, // a busy machine is late
  },
})

export default defineConfig({
  test: {
    projects: [pure, worker, scripts],
    maxWorkers: '100%',
    fsModuleCache: true, // a file would spend most of its time on transforming packages
  },
})
