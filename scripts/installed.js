import { existsSync } from 'node:fs'

// Runs before every script of package.json, on whichever Node there is.

if (!existsSync('node_modules')) {
  console.error('Run npm ci first.')
  process.exit(1)
}
