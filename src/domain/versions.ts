/** A version with prefix, `v1.10.0`: three numbers without leading zeros. */
export type Version = `v${string}`

/** What a release may raise of the version before it, the least first. */
export const CHANGES = ['patch', 'minor', 'major'] as const

export type Change = (typeof CHANGES)[number]

/** Up to 15 digits a number, so that each stays one that JavaScript and SQLite count exactly. */
export const VERSION_FORM = /^v(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/

const INITIAL_VERSION: Version = 'v0.0.0'

export function isVersion(text: string): text is Version {
  return VERSION_FORM.test(text)
}

/** Orders versions as numbers: v1.9.0 is before v1.10.0. */
export function compareVersions(one: Version, other: Version): number {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

/** The highest of some versions; v0.0.0 where there is none. */
export function highestVersion(versions: Version[]): Version {
  return versions.reduce(
    (highest, version) => (compareVersions(version, highest) > 0 ? version : highest),
    INITIAL_VERSION,
  )
}

/** The one of some changes that raises a version most; patch where there is none. */
export function highestChange(changes: Change[]): Change {
  return changes.reduce(
    (highest, change) => (CHANGES.indexOf(change) > CHANGES.indexOf(highest) ? change : highest),
    'patch' as Change,
  )
}

/**
 * The version of the release that follows (Semantic Versioning 2.0.0, items 6 to 8). Where a number can grow
 * no more, the version stays.
 */
export function nextVersion(version: Version, change: Change): Version {
  const [major, minor, patch] = numbersOf(version)
  const next = {
    major: `v${major + 1}.0.0`,
    minor: `v${major}.${minor + 1}.0`,
    patch: `v${major}.${minor}.${patch + 1}`,
  }[change]
  return isVersion(next) ? next : version
}

function numbersOf(version: Version): [number, number, number] {
  const [, major, minor, patch] = VERSION_FORM.exec(version) ?? []
  return [Number(major), Number(minor), Number(patch)]
}
