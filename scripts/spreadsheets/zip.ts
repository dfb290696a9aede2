import { Unzip, UnzipInflate } from 'fflate'
import { checkUnpacked } from './limits.ts'

/** So little that what it unpacks to, a thousand times as much at most, fits into memory. */
const PIECE_BYTES = 1024

/** A ZIP archive, of which parts are unpacked; together they are counted against the limit. */
export class Archive {
  readonly #bytes: Uint8Array
  #unpacked = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /**
   * Unpacks a part, and passes it on piece by piece. Sizes that an archive claims do not matter.
   * @returns whether there is such a part
   * @throws {LimitError} as soon as too much was unpacked
   */
  unpack(path: string, onPiece: (piece: Uint8Array) => void): boolean {
    let state: 'sought' | 'found' | 'ended' = 'sought'
    const unzip = new Unzip((file) => {
      if (file.name !== path || state !== 'sought') return

      state = 'found'
      file.ondata = (error, piece, isLast) => {
        if (error) throw error
        this.#unpacked += piece.length
        checkUnpacked(this.#unpacked)
        onPiece(piece)
        if (isLast) state = 'ended'
      }
      file.start()
    })
    unzip.register(UnzipInflate)

    const isEnded = () => state === 'ended'
    for (let at = 0; at < this.#bytes.length && !isEnded(); at += PIECE_BYTES)
      unzip.push(
        this.#bytes.subarray(at, at + PIECE_BYTES),
        at + PIECE_BYTES >= this.#bytes.length,
      )
    return isEnded()
  }
}
