/** Tells whether a part of an expression, and what follows it, match from a position on. */
type Matcher = (position: number, follow: Follow) => boolean
type Follow = (position: number) => boolean

/**
 * Counts what a backtracking engine compares for all regular expressions that run while a function
 * works. Each is counted before the real engine runs it, and must match as it does there.
 * @throws {RangeError} above a limit
 */
export function countSteps(work: () => unknown, limit: number): number {
  const { exec } = RegExp.prototype
  let steps = 0

  function countedExec(this: RegExp, text: string) {
    RegExp.prototype.exec = exec
    const counted = run(this, text, limit - steps)
    const match = exec.call(this, text)
    RegExp.prototype.exec = countedExec
    steps += counted.steps
    if (counted.matched !== (match !== null))
      throw new Error(`${this} was counted wrongly`)
    return match
  }

  RegExp.prototype.exec = countedExec
  try {
    work()
  } finally {
    RegExp.prototype.exec = exec
  }
  return steps
}

const patterns = new Map<string, Pattern>()

function run(regexp: RegExp, text: string, limit: number) {
  const { lastIndex, sticky, global } = regexp
  const pattern = patterns.get(String(regexp)) ?? new Pattern(regexp)
  patterns.set(String(regexp), pattern)
  return pattern.run(text, sticky || global ? lastIndex : 0, limit)
}

/**
 * A class, a property, an escape, the start of a group, a number of repetitions, or one character.
 */
const TOKEN =
  /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\.|\(\?<\w+>|\(\?:|\(\?|\{\d+(?:,\d*)?\}|./gsu

/**
 * A regular expression for a backtracking engine that counts, without lookarounds and references.
 */
class Pattern {
  readonly #regexp: RegExp
  readonly #tokens: string[]
  readonly #matches: Matcher
  #text = ''
  #steps = 0
  #limit = 0

  constructor(regexp: RegExp) {
    this.#regexp = regexp
    this.#tokens = regexp.source.match(TOKEN) ?? []
    this.#matches = this.#parseAlternatives()
  }

  run(text: string, start: number, limit: number): { steps: number; matched: boolean } {
    this.#text = text
    this.#steps = 0
    this.#limit = limit
    const last = this.#regexp.sticky ? start : text.length
    let matched = false
    for (let position = start; position <= last && !matched;) {
      matched = this.#matches(position, () => true)
      position += this.#characterAt(position)?.length ?? 1
    }
    return { steps: this.#steps, matched }
  }

  #parseAlternatives(): Matcher {
    const alternatives = [this.#parseSequence()]
    while (this.#tokens[0] === '|') {
      this.#tokens.shift()
      alternatives.push(this.#parseSequence())
    }
    return (position, follow) => alternatives.some((matches) => matches(position, follow))
  }

  #parseSequence(): Matcher {
    const parts: Matcher[] = []
    while (this.#tokens[0] !== undefined && !['|', ')'].includes(this.#tokens[0])) {
      parts.push(this.#parseRepetition())
    }
    const matchFrom = (index: number, position: number, follow: Follow): boolean => {
      const part = parts[index]
      if (!part) return follow(position)
      return part(position, (next) => matchFrom(index + 1, next, follow))
    }
    return (position, follow) => matchFrom(0, position, follow)
  }

  #parseRepetition(): Matcher {
    const part = this.#parsePart(this.#tokens.shift() ?? '')
    const range = rangeOf(this.#tokens[0])
    if (!range) return part
    this.#tokens.shift()
    if (this.#tokens[0] === '?') throw new SyntaxError('not counted: a lazy quantifier')
    const [min, max] = range
    const repeat = (count: number, position: number, follow: Follow): boolean => {
      const again = (next: number) => next > position && repeat(count + 1, next, follow)
      return (count < max && part(position, again)) || (count >= min && follow(position))
    }
    return (position, follow) => repeat(0, position, follow)
  }

  #parsePart(token: string): Matcher {
    if (/^(?:\(\?|\\[1-9bBk])$/.test(token))
      throw new SyntaxError(`not counted: ${token}`)
    if (token.startsWith('(')) {
      const group = this.#parseAlternatives()
      this.#tokens.shift() // the closing parenthesis
      return group
    }
    if (token === '^')
      return (position, follow) => this.#isEnd(position - 1) && follow(position)
    if (token === '$')
      return (position, follow) => this.#isEnd(position) && follow(position)
    const one = new RegExp(`^${token}$`, this.#regexp.flags.replace(/[gmy]/g, ''))
    return (position, follow) => {
      this.#step()
      const character = this.#characterAt(position)
      return (
        character !== undefined &&
        one.test(character) &&
        follow(position + character.length)
      )
    }
  }

  #step(): void {
    this.#steps += 1
    if (this.#steps > this.#limit)
      throw new RangeError(`${this.#regexp} takes too many steps`)
  }

  #characterAt(position: number): string | undefined {
    if (!this.#regexp.unicode) return this.#text[position]
    const codePoint = this.#text.codePointAt(position)
    return codePoint === undefined ? undefined : String.fromCodePoint(codePoint)
  }

  /** Whether there is an end of the text or, with the flag `m`, of a line. */
  #isEnd(position: number): boolean {
    this.#step()
    const character = this.#text[position]
    if (character === undefined) return true
    return this.#regexp.multiline && /[\n\r\u2028\u2029]/.test(character)
  }
}

/** The least and the greatest number of repetitions. */
function rangeOf(token = ''): [number, number] | undefined {
  if (token === '?') return [0, 1]
  if (token === '*') return [0, Number.POSITIVE_INFINITY]
  if (token === '+') return [1, Number.POSITIVE_INFINITY]
  const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}$/.exec(token) ?? []
  if (min === undefined) return undefined
  return [Number(min), comma ? Number(max || Number.POSITIVE_INFINITY) : Number(min)]
}
