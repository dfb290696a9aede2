import { expect, it } from 'vitest'
import { canonicalPath } from '#http/request/paths.ts'

it.each([
  ['/v1/categories', '/v1/categories'],
  ['/v1/api/categories', '/v1/categories'],
  ['/api/v1/categories', '/v1/categories'],
  ['/v1/categories/', '/v1/categories'],
  ['/api/v1/categories/', '/v1/categories'],
  ['/v1/categories//', '/v1/categories//'],
  ['/', '/'],
  ['//', '//'],
  ['/v1/apis', '/v1/apis'],
  ['/other/v1/api/categories', '/other/v1/api/categories'],
  ['/v1/informers/api/v1/x', '/v1/informers/api/v1/x'],
])('%s is %s', (path, canonical) => {
  expect(canonicalPath(new Request(`https://service.example${path}?page=1`))).toBe(
    canonical,
  )
})
