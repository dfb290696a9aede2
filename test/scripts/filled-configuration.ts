import { readFileSync } from 'node:fs'

/** wrangler.toml as a checkout has it. */
export const SAMPLE = readFileSync('wrangler.toml', 'utf8')

export const DATABASE_ID = 'b2a3c1d4-0000-4000-8000-000000000001'
export const STAGING_ID = DATABASE_ID.replace('1', '2')

/** wrangler.toml with the values of an office, as docs/deploying.md says. */
export const FILLED = SAMPLE.replace(
  /(?<=^database_id = ")[^"]+/m,
  DATABASE_ID,
).replaceAll('example.org', 'diocese.br')

/** With a staging environment that has ids of its own. */
export const STAGED = FILLED.concat(
  FILLED.slice(FILLED.indexOf('[version_metadata]'))
    .replace(/^\[+/gm, '$&env.staging.')
    .replace(DATABASE_ID, STAGING_ID)
    .replace(/"100(\d)"/g, '"200$1"'),
)
