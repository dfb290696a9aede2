/** What a request costs: how many a second, and the milliseconds that one took. */
export type Figures = { rate: number; p50: number; p99: number }

export type Comparison = {
  what: string
  connections: number
  ratio: number
  ours: Figures
  theirs: Figures
  against: string
}

const WIDTH = 760
const ROW = 34
const LABELS = 270
const BARS = 400
const TOP = 56

/** The ratios as bars, as an SVG that is legible on light and dark ground. */
export function chart(comparisons: Comparison[]): string {
  const scale = BARS / Math.max(1, ...comparisons.map(({ ratio }) => ratio))
  const height = TOP + comparisons.length * ROW + 12
  const one = LABELS + scale
  const rows = comparisons.map(({ what, connections, ratio, against }, index) => {
    const y = TOP + index * ROW
    return `
  <text x="${LABELS - 10}" y="${y + 11}" text-anchor="end">${what}, ${connections} conn.</text>
  <text x="${LABELS - 10}" y="${y + 24}" text-anchor="end" class="against">to the ${against}</text>
  <rect x="${LABELS}" y="${y}" width="${(ratio * scale).toFixed(1)}" height="${ROW - 12}" rx="3"/>
  <text x="${(LABELS + ratio * scale + 6).toFixed(1)}" y="${y + 15}">${ratio.toFixed(2)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img"
  aria-label="Requests a second of the service, as a ratio to the limits of the platform">
  <style>
    text { font: 12px sans-serif; fill: #57606a } .title { font-size: 14px } .against { font-size: 10px }
    rect { fill: #2f6feb } line { stroke: #57606a; stroke-dasharray: 3 3 }
  </style>
  <text x="12" y="24" class="title">Requests a second, as a ratio to the limits of the platform (1 = as fast)</text>
  <line x1="${one.toFixed(1)}" y1="${TOP - 14}" x2="${one.toFixed(1)}" y2="${height - 12}"/>${rows.join('')}
</svg>
`
}
