// scrypt blocks its isolate's thread, although it takes a callback, and workerd looks for new
// requests only when nothing else is due. So hashes take turns, and between two of them the isolate
// answers whatever has come meanwhile. Requests share values alone: workerd forbids one to await
// another's promise, and may never fire the timers of one whose client has gone.

/** How long a turn is kept after its hash, in milliseconds. */
const PAUSE_MS = 1
/** Between two looks at the line, in milliseconds; at random up to twice as long. */
const LOOK_MS = 5
/** A first one that has not moved after so many looks is gone. */
const MAX_LOOKS = 20

/** Those that wait for their turn, in the order of their arrival. The first one hashes. */
const line: symbol[] = []

/** Runs a hash when all that came before it have ended. */
export async function inTurn<Hash>(hash: () => Promise<Hash>): Promise<Hash> {
  const turn = Symbol()
  line.push(turn)
  await waitFor(turn)
  try {
    return await hash()
  } finally {
    await sleep(PAUSE_MS)
    leave(turn)
  }
}

async function waitFor(turn: symbol): Promise<void> {
  let [first] = line
  for (let looks = 0; line.indexOf(turn) > 0; looks++) {
    await sleep(LOOK_MS * (1 + Math.random()))
    if (line[0] !== first) {
      first = line[0]
      looks = 0
    } else if (looks === MAX_LOOKS && first) {
      leave(first)
    }
  }
}

function leave(turn: symbol): void {
  const place = line.indexOf(turn)
  if (place >= 0) line.splice(place, 1)
}

const sleep = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
