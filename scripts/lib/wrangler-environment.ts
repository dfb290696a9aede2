import { accessSync, constants, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

// Loaded before wrangler and miniflare, by `npm run wrangler` too.

process.env.WRANGLER_SEND_METRICS ??= 'false'

const CONFIG_FOLDER = process.platform === 'darwin' ? 'Library/Preferences' : '.config'

if (!isHomeWritable()) {
  const folder = resolve('.wrangler', 'config')
  process.env.XDG_CONFIG_HOME = folder
  process.env.HOME ??= folder // for a user without a home
}

/** Returns whether wrangler can write its logs and logins where it would by default. */
function isHomeWritable(): boolean {
  try {
    const parent = process.env.XDG_CONFIG_HOME || join(homedir(), CONFIG_FOLDER)
    const folder = join(parent, '.wrangler')
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
