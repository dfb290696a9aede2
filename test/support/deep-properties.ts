import { IS_DEEP, runs } from './depth.ts'

if (IS_DEEP) {
  const { configureGlobal } = await import('fast-check')
  configureGlobal({ numRuns: runs(100) })
}
