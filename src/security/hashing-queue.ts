// scrypt blocks its isolate's thread, although it takes a callback, and workerd looks for new
// requests only when nothing else is due. So hashes take turns, and between two of them the isolate
// answers whatever has come meanwhile. Requests share values alone: workerd forbids one to await
// another's promise, and may never fire the timers of one whose client has gone.

/** The platform ends a request whose client has gone after so long, without a notice. */
const MAX_WAITING_MS = 30_000
/** How long a turn is kept after its hash, in milliseconds. */
const PAUSE_MS = 1
/** Between two looks at the queue, in milliseconds; at random up to twice as long. */
const LOOK_MS = 5

type Place = { expiresAt: number }

/** Places in the order of their arrival, each until it is left or expires. */
export class Queue {
  #places: Place[] = []

  join(): Place {
    const place = { expiresAt: Date.now() + MAX_WAITING_MS }
    this.#places.push(place)
    return place
  }

  leave(place: Place): void {
    this.#places = this.#places.filter((other) => other !== place)
  }

  get length(): number {
    return this.#waiting().length
  }

  /** Returns whether no other place is before this one, which may have expired. */
  isFirst(place: Place): boolean {
    return this.#waiting().indexOf(place) <= 0
  }

  #waiting(): Place[] {
    this.#places = this.#places.filter(({ expiresAt }) => expiresAt > Date.now())
    return this.#places
  }
}

const hashes = new Queue()

/** Runs a hash when all that came before it have ended. */
export async function inTurn<Hash>(hash: () => Promise<Hash>): Promise<Hash> {
  const place = hashes.join()
  while (!hashes.isFirst(place)) await sleep(LOOK_MS * (1 + Math.random()))
  try {
    return await hash()
  } finally {
    await sleep(PAUSE_MS)
    hashes.leave(place)
  }
}

const sleep = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
