/** The median, the upper one for an even count; NaN for an empty list. */
export function median(numbers: number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
