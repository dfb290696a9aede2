/** The host failed, timed out or did not respond like the GitHub REST API. Contains no token. */
export class RepositoryUnavailableError extends Error {}

/** The repository has no commits yet: GitHub's status 409. */
export class EmptyRepositoryError extends RepositoryUnavailableError {}

/** The limit that a history exceeds. */
export type ImportLimit = 'commits' | 'requests' | 'memory'

/** The history is larger than one import can read. */
export class HistoryTooLargeError extends Error {
  readonly limit: ImportLimit

  constructor(limit: ImportLimit) {
    super(`too much for one import: ${limit}`)
    this.limit = limit
  }
}
