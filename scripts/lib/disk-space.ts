import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from './command-line.ts'

/** Twice what a first start writes. */
const NEEDED_MB = 16

/**
 * Tries to write as much as a start needs, because a quota says beforehand as little of itself as
 * the runtime and the build say of a full disk afterwards.
 * @throws naming the folder
 */
export function refuseFullDisk(folder: string): void {
  const trial = join(folder, `space-${randomUUID()}`)
  try {
    writeFileSync(trial, Buffer.alloc(NEEDED_MB * 1024 ** 2), { flag: 'wx' })
  } catch (error) {
    const reason = reasonOf(error)
    throw new Error(`the disk of ${folder} has no room for ${NEEDED_MB} MB (${reason}).`)
  } finally {
    rmSync(trial, { force: true })
  }
}
