import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'

// After npm ci, on whatever Node the machine has.
process.chdir('node_modules')
const nodes = readdirSync('.').filter((name) => name.startsWith('node-'))

// What packages bring and nothing uses: the headers of Node, the source maps of Swagger UI, the
// bundles of SheetJS.
const maps = readdirSync('swagger-ui-dist').filter((name) => name.endsWith('.map'))
const unused = [
  ...nodes.map((name) => `${name}/include`),
  ...maps.map((name) => `swagger-ui-dist/${name}`),
  '@e965/xlsx/dist',
]
for (const path of unused) rmSync(path, { recursive: true, force: true })

// npm 10 removes this link together with the packages of other platforms, which have one of the
// same name.
for (const name of nodes) {
  if (!existsSync(`${name}/bin/node`)) continue
  rmSync('.bin/node', { force: true })
  symlinkSync(`../${name}/bin/node`, '.bin/node')
}
