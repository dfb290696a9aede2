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
  ['/v1/%63over', '/v1/cover'],
  ['/v1/dioceses/%C3%A1%2F%25', '/v1/dioceses/á%2F%25'],
  ['/v1/dioceses/%ff', '/v1/%'],
  ['/api/v1/dioceses/%', '/v1/%'],
  ['/redefinir-senha%zz', '/%'],
  ['*', '/%'],
])('%s is %s', (path, canonical) => {
  const url = `https://service.example${path}?page=%ff`
  expect(canonicalPath({ url })).toBe(canonical)
})
