import { call, counting } from './helper.ts'

/** A new isolate: its caches belong to this binding. */
export function isolate() {
  const { binding, count } = counting()
  const get = (path: string, options: Parameters<typeof call>[1] = {}) =>
    call(path, { ...options, env: { DB: binding } })
  return { binding, count, get }
}
