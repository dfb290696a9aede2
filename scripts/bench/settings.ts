/** Milliseconds that a round trip to a database far away takes. */
export const DISTANCE_MS = 80
