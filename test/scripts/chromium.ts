import type { Browser } from 'puppeteer-core'
import type { TestProject } from 'vitest/node'
import { serveOnDemand } from './on-demand.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Responds with the address of its debugger as soon as it runs. */
    chromium: string
  }
}

/** Where Debian puts it; `.ci/run` installs it where it may. */
export const CHROMIUM = '/usr/bin/chromium'

/** Without the cache, pages of one site share a process; each would start one, to be kept. */
const FLAGS = ['--no-sandbox', '--disable-features=BackForwardCache']

/**
 * Starts Chromium once for all files, when the first of them asks for it. Each has a context of its
 * own there, as a private window is.
 */
export default async function startChromium(project: TestProject) {
  let browser: Browser | undefined
  const chromium = await serveOnDemand(async () => {
    const { default: puppeteer } = await import('puppeteer-core') // which takes a while
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: FLAGS })
    return browser.wsEndpoint()
  })
  project.provide('chromium', chromium.url)
  return async () => {
    await chromium.close()
    await browser?.close()
  }
}
