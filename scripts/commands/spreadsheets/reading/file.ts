import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Row } from './cells.ts'

/** The rows of a spreadsheet. */
export type FileRows = {
  rows: Row[]
  /** Whether the encoding has too few letters for some names. */
  isWindows1252: boolean
  /** The names of sheets that were not read. */
  otherSheets: string[]
}

const MAX_FILE_BYTES = 20_000_000

/** Together with the rest of a command, less than 500 MB. */
const MAX_HEAP_MB = 350
const MAX_MEMORY_BYTES = 400e6
const CHECK_MS = 10

/**
 * Reads a spreadsheet: XLSX, XLS, or CSV with semicolons, commas or tabs.
 * @param sheet the name of one in a workbook; by default the first visible one
 * @throws {Error} if it cannot be read, is something else, or is larger than the import allows
 */
export async function readSpreadsheet(path: string, sheet?: string): Promise<FileRows> {
  const stream = createReadStream(path, { end: MAX_FILE_BYTES })
  const bytes = Buffer.concat(await Array.fromAsync(stream))
  if (bytes.length > MAX_FILE_BYTES) throw new Error('o arquivo tem mais de 20 MB')

  return parseInThread({ bytes, sheet })
}

/**
 * Parses in a thread, because even a small file may need unlimited memory, also outside the heap.
 */
function parseInThread(workerData: object): Promise<FileRows> {
  const before = process.memoryUsage.rss()
  const tooLarge = new Error('a planilha ocuparia mais de 500 MB de memória')
  const thread = new Worker(join(import.meta.dirname, 'thread.ts'), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    stderr: true, // drops remarks of the library
  })
  const timer = setInterval(() => {
    const used = process.memoryUsage.rss() - before
    if (used <= MAX_MEMORY_BYTES) return
    clearInterval(timer)
    void thread.terminate()
  }, CHECK_MS)

  return new Promise<FileRows>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge : error)
    })
    thread.once('exit', () => reject(tooLarge))
  }).finally(() => clearInterval(timer))
}
