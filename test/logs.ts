/** What the service has logged in this file, a line of JSON each, in the place of printing it. */
const lines: string[] = []
let before = 0
const personal = new Set<string>()

/** Text that no log may hold: of names and such, however they are spelled, short ones would be found anywhere. */
const SHORTEST = 5
const PERSONAL_FIELDS = new Set([
  'first_name',
  'last_name',
  'email',
  'cpf',
  'password',
  'phone',
  'img_url',
  'token',
])
const FORMS = [/\S@\S+\.\S/, /(?<!\d)\d{11}(?!\d)/, /\beyJ[\w-]+\./, /\$scrypt\$/]

export function interceptLogs(): void {
  for (const level of ['info', 'warn', 'error'] as const) {
    const print = console[level]
    console[level] = (...said: unknown[]) => {
      const [line] = said
      if (typeof line === 'string' && line.startsWith(`{"level":"${level}"`)) lines.push(line)
      else print(...said)
    }
  }
}

/** From here on, `logged` tells what one test has made the service log. */
export function beginTest(): void {
  before = lines.length
}

/** What the service has logged in this test, at one level. */
export function logged(level: 'info' | 'warn' | 'error'): Record<string, unknown>[] {
  return lines
    .slice(before)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.level === level)
}

/** Remembers what is personal in a request: the named fields of its body, its token and its address. */
export function notePersonal(body: unknown, headers: Headers): void {
  const note = (text: unknown) => {
    if (typeof text === 'string' && text.trim().length >= SHORTEST) personal.add(text.trim())
  }
  note(headers.get('Authorization')?.replace(/^\S+ /, ''))
  note(headers.get('CF-Connecting-IP'))
  if (typeof body !== 'object' || body === null) return
  for (const [field, value] of Object.entries(body)) if (PERSONAL_FIELDS.has(field)) note(value)
}

/** The lines of this file that hold what is personal; there should be none. */
export function findLeaks(): string[] {
  const isIndiscreet = (line: string) => {
    const said = line.replace(/"request_id":"[0-9a-f-]+"/, '') // random digits, among them now and then eleven
    return FORMS.some((form) => form.test(said)) || [...personal].some((text) => said.includes(text))
  }
  return lines.filter(isIndiscreet)
}
