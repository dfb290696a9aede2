import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** A row that is not blank. */
export type SheetRow = {
  /** Counted as in spreadsheet programs: from 1, including blank rows. */
  line: number
  cells: Cell[]
}

/** A cell that is not blank, with its column, counted from 0. */
export type Cell = {
  at: number
  text: string
  /** The reason to refuse the cell. */
  fault?: string | undefined
  /** Whether it is a number with decimals. */
  isDecimal?: boolean
}

export const SAVE_AS = 'salve a planilha como XLSX ou como CSV UTF-8'

export const MAX_BYTES = 5_000_000
export const TOO_LARGE = `o arquivo tem mais de 5 MB: divida-o, e ${SAVE_AS}`
export const TOO_COMPLEX = `o arquivo ocupa tempo ou memória demais: copie só as pessoas, e ${SAVE_AS}`

/** Limits for files that would keep the library busy for hours, or fill all memory. */
const MAX_HEAP_MB = 200
const MAX_MS = 10_000

/**
 * Reads the rows of an XLSX or a CSV, in a thread that ends if a file takes too much.
 * @throws {Error} if the file cannot be read, is something else, or is too large
 */
export async function readSpreadsheet(path: string): Promise<SheetRow[]> {
  const stream = createReadStream(path, { end: MAX_BYTES })
  const bytes = Buffer.concat(await Array.fromAsync(stream))
  if (bytes.length > MAX_BYTES) throw new Error(TOO_LARGE)

  const thread = new Worker(join(import.meta.dirname, 'thread.ts'), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    stderr: true, // drops remarks of the library
  })
  try {
    const signal = AbortSignal.timeout(MAX_MS)
    const [rows] = await once(thread, 'message', { signal })
    return rows
  } catch (error) {
    const isLimit = (error as NodeJS.ErrnoException).code !== undefined
    throw isLimit ? new Error(TOO_COMPLEX) : error
  } finally {
    await thread.terminate()
  }
}
