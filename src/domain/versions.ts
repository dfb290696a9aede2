/** A version with prefix, such as `v1.10.0`: three numbers without leading zeros. */
export type Version = `v${string}`

/** Release types, lowest first. */
export const RELEASE_TYPES = ['patch', 'minor', 'major'] as const

export type ReleaseType = (typeof RELEASE_TYPES)[number]

/** At most 15 digits per number, so JavaScript and SQLite represent it exactly. */
export const VERSION_PATTERN =
  /^v(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/

const NO_RELEASE: Version = 'v0.0.0'

export function isVersion(text: string): text is Version {
  return VERSION_PATTERN.test(text)
}

/** Compares numerically: v1.9.0 is before v1.10.0. */
export function compareVersions(one: Version, other: Version): number {
  const left = numbersOf(one)
  const right = numbersOf(other)
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

/** Returns the highest version; v0.0.0 if there is none. */
export function highestVersion(versions: Version[]): Version {
  let highest = NO_RELEASE
  for (const version of versions) {
    if (compareVersions(version, highest) > 0) highest = version
  }
  return highest
}

/** Returns the highest release type; patch if there is none. */
export function highestReleaseType(types: ReleaseType[]): ReleaseType {
  const given = new Set(types)
  return RELEASE_TYPES.findLast((type) => given.has(type)) ?? 'patch'
}

/**
 * Returns the version of the next release (Semantic Versioning 2.0.0, items 6 to 8); the same
 * version if a number is at its limit.
 */
export function nextVersion(version: Version, type: ReleaseType): Version {
  const next = increment(numbersOf(version), type)
  return isVersion(next) ? next : version
}

function increment([major, minor, patch]: VersionNumbers, type: ReleaseType): string {
  switch (type) {
    case 'major':
      return `v${major + 1}.0.0`
    case 'minor':
      return `v${major}.${minor + 1}.0`
    case 'patch':
      return `v${major}.${minor}.${patch + 1}`
  }
}

type VersionNumbers = [major: number, minor: number, patch: number]

export function numbersOf(version: Version): VersionNumbers {
  const [, major, minor, patch] = VERSION_PATTERN.exec(version) ?? []
  return [Number(major), Number(minor), Number(patch)]
}
