/**
 * The SQLite of Node, which Node 22 calls experimental in a warning of two lines whenever it is
 * loaded. Only that warning is kept back: loading it is one synchronous call.
 */
const { emitWarning } = process
process.emitWarning = () => undefined
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
process.emitWarning = emitWarning

/** Result codes (https://sqlite.org/rescode.html). */
export const SQLITE_BUSY = 5
