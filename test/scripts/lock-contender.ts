import { lockStateDir } from '../../scripts/lib/state-folder.ts'

// A process that locks the folders it is told, each at an instant, and reports whether it got them.
process.on('message', async ({ folder, at }: { folder: string; at: number }) => {
  while (Date.now() < at); // closer to the instant than a timer
  const outcome = await lockStateDir(folder).then(
    () => 'locked',
    (error: Error) => error.message,
  )
  process.send?.(outcome)
})
