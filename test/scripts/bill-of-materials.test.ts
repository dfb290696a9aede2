import { execFileSync, spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import lock from '../../package-lock.json' with { type: 'json' }

type Locked = {
  version?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
}

const help = spawnSync('npm', ['sbom', '--help'], { encoding: 'utf8' }).stdout
const hasCommand = help.includes('Bill of Materials') // npm 9.9, or 10.2 and newer

it.skipIf(!hasCommand)('.ci/sbom lists what the Worker runs, by its checksums', () => {
  const packages: [string, Locked][] = Object.entries(lock.packages)
  const expected = packages
    .filter(
      ([path, { dev, optional, devOptional }]) =>
        path && !(dev || optional || devOptional),
    )
    .map(([path, { version, integrity = '' }]) => ({
      name: path.replace(/^.*node_modules\//, ''),
      version,
      hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }],
    }))

  const printed = execFileSync('.ci/sbom', { encoding: 'utf8' })
  const { bomFormat, components } = JSON.parse(printed)
  expect(bomFormat).toBe('CycloneDX')
  expect(components).toEqual(expected.map((part) => expect.objectContaining(part)))
})

const hexOf = (integrity: string) =>
  Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
