import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import config from '../../vitest.config.ts'

const { MUTATION_TESTS, MUTATION_IN_NODE } = process.env
const include = MUTATION_TESTS?.split(',')

/** Tests of pure functions start much faster in Node, and every mutant starts them again. */
const node = { test: { name: 'node', include } }

/** All other tests run in workerd; those of the commands run processes of their own, where no mutant is active. */
const [worker] = (config.test?.projects ?? []) as TestProjectInlineConfiguration[]
const workerd = { ...worker, test: { ...worker?.test, ...(include && { include }) } }

export default defineConfig({ test: { projects: [MUTATION_IN_NODE ? node : workerd] } })
