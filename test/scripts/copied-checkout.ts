import { cpSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryState } from '../../scripts/dev/service-process.ts'

const COPIED = ['src', 'scripts', 'migrations', 'package.json', 'wrangler.toml']

/** A copy of the project as after a clone and `npm ci`, with a function to remove it. */
export function copiedCheckout() {
  const { stateDir: folder, remove } = temporaryState()
  for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return { folder, remove }
}
