import { personFields } from '#http/request/person-fields.ts'

/** The JSON log lines of this file, captured instead of printed. */
const lines: string[] = []
let linesBefore = 0
/** Personal values sent by the requests of this file. */
const values = new Set<string>()

/** Shorter values would match by chance. */
const MIN_LENGTH = 6
const PERSONAL_FIELDS = new Set([
  ...Object.keys(personFields),
  'first_name',
  'email',
  'current_password',
  'token',
])
const PERSONAL_FORMS = [
  /[^\s/]@\S+\.\S/,
  /(?<!\d)\d{11}(?!\d)/,
  /\beyJ[\w-]+\./,
  /\$scrypt\$/,
  /\bips_[\w-]+/,
]

for (const level of ['info', 'warn', 'error'] as const) {
  const print = console[level]
  console[level] = (...messages: unknown[]) => {
    const [line] = messages
    if (typeof line === 'string' && line.startsWith(`{"level":"${level}"`)) {
      lines.push(line)
    } else print(...messages)
  }
}

/** Removes the lines and values of the previous file. */
export function beginFile(): void {
  lines.length = 0
  values.clear()
}

/** Resets `logged` for a new test. */
export function beginTest(): void {
  linesBefore = lines.length
}

/** The log lines of this test at one level. */
export function logged(level: 'info' | 'warn' | 'error'): Record<string, unknown>[] {
  return lines
    .slice(linesBefore)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.level === level)
}

/** Records the values of a request: personal fields of the body, token, address, query and path. */
export function noteValues({ url, headers }: Request, body: unknown): void {
  const note = (value: unknown) => {
    if (typeof value === 'string' && value.trim().length >= MIN_LENGTH) {
      values.add(value.trim())
    }
  }
  note(headers.get('Authorization')?.replace(/^\S+ /, ''))
  note(headers.get('CF-Connecting-IP'))
  const { pathname, searchParams } = new URL(url)
  for (const [name, value] of searchParams) {
    if (name === 'subject_type') continue // a word of the service, which routes have too
    for (const line of value.split('\n')) note(line)
  }
  for (const segment of pathname.split('/')) {
    if (!/^[a-z.-]*$/.test(segment)) note(segment)
  }
  if (typeof body !== 'object' || body === null) return
  for (const [field, value] of Object.entries(body)) {
    if (PERSONAL_FIELDS.has(field)) note(value)
  }
}

/** Log lines of this file that contain sent values; must be empty. */
export function findLeaks(): string[] {
  const texts = lines.map(
    // random digits, sometimes eleven of them
    (line) => line.replace(/"(request_id|version)":"[0-9a-f-]+"/, ''),
  )
  const all = texts.join('\n')
  const leaked = [...values].filter((value) => all.includes(value))
  return texts.filter(
    (text) =>
      PERSONAL_FORMS.some((form) => form.test(text)) ||
      leaked.some((value) => text.includes(value)),
  )
}
