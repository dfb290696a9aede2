/** Items per page, by default and at most. */
export const DEFAULT_PER_PAGE = 12
export const MAX_PER_PAGE = 100
/** A drop-down wants all of a reference list. */
export const MAX_REFERENCES_PER_PAGE = 500

export type Page = { page: number; perPage: number }

export type Pagination = {
  current_page: number
  per_page: number
  total: number
  last_page: number
  from: number
  to: number
  has_more_pages: boolean
}

/** Rows to skip, clamped to a safe integer. */
export function offsetOf({ page, perPage }: Page): number {
  return Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER)
}

/** Returns the `pagination` of a list (docs/rules.md#pagination). */
export function paginationOf({ page, perPage }: Page, total: number): Pagination {
  const offset = offsetOf({ page, perPage })
  const empty = offset >= total
  return {
    current_page: page,
    per_page: perPage,
    total,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    from: empty ? 0 : offset + 1,
    to: empty ? 0 : Math.min(offset + perPage, total),
    has_more_pages: offset + perPage < total,
  }
}
