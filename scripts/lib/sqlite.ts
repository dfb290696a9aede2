/**
 * Node's SQLite. Node 22 warns that it is experimental whenever it is loaded; only that warning is
 * suppressed, because loading is one synchronous call.
 */
const { emitWarning } = process
process.emitWarning = () => undefined
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
process.emitWarning = emitWarning

/** https://sqlite.org/rescode.html */
export const SQLITE_BUSY = 5
