import { configureGlobal } from 'fast-check'
import { IS_DEEP, runs } from './depth.ts'

if (IS_DEEP) configureGlobal({ numRuns: runs(100) })
