type Kept<Value> = { value: Value; expires: number; size: number }

/** Values by key for a limited time, limited in number and size; the oldest makes room for the newest. */
export class BoundedMemory<Value> {
  readonly #limits: { entries: number; size: number; milliseconds: number }
  readonly #kept = new Map<string, Kept<Value>>()
  #size = 0

  constructor(limits: { entries: number; size: number; milliseconds: number }) {
    this.#limits = limits
  }

  get(key: string): Value | null {
    const kept = this.#kept.get(key)
    if (!kept) return null
    if (kept.expires > Date.now()) return kept.value
    this.#drop(key, kept)
    return null
  }

  /** @param size in whatever unit the limit is meant; a value that is larger than the limit is not kept */
  set(key: string, value: Value, size: number): void {
    const former = this.#kept.get(key)
    if (former) this.#drop(key, former)
    if (size > this.#limits.size) return
    this.#kept.set(key, { value, expires: Date.now() + this.#limits.milliseconds, size })
    this.#size += size
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= this.#limits.entries && this.#size <= this.#limits.size) break
      this.#drop(oldest, kept)
    }
  }

  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }

  #drop(key: string, kept: Kept<Value>): void {
    this.#kept.delete(key)
    this.#size -= kept.size
  }
}
