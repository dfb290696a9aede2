import { lockStateDir } from '../../scripts/lib/state-folder.ts'

// A process that locks the folders it is told, each at an instant, and reports whether it got them.
process.on('message', ({ folder, at }: { folder: string; at: number }) => {
  while (Date.now() < at); // closer to the instant than a timer
  try {
    lockStateDir(folder)
    process.send?.('locked')
  } catch (error) {
    process.send?.((error as Error).message)
  }
})
