const WIDTH = 40

/** Draws a progress bar on a terminal. */
export function drawProgress(
  done: number,
  total: number,
  terminal: NodeJS.WriteStream = process.stderr,
): void {
  if (!terminal.isTTY) return
  const filled = Math.floor((WIDTH * done) / total)
  terminal.write(`\r[${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done} of ${total}`)
  if (done === total) terminal.write('\n')
}
