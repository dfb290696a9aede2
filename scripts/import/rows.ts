import { createHash } from 'node:crypto'
import type * as z from 'zod/mini'
import { createInformerBody } from '../../src/domain/informer.ts'
import type { readReferences } from './references.ts'
import type { SpreadsheetRow } from './spreadsheet.ts'

export type InformerBody = z.infer<typeof createInformerBody>
/** A row with its request body, or its problems. */
export type CheckedRow = { line: number; body?: InformerBody; problems: string[] }

const BOOLEANS: Record<string, boolean> = {
  true: true,
  verdadeiro: true,
  sim: true,
  false: false,
  falso: false,
  não: false,
}

const COLUMN_OF_FIELD: Record<string, string> = {
  treatment_pronoun_id: 'treatment_pronoun',
  category_id: 'category',
  diocese_id: 'diocese',
  group_id: 'group',
}

/** A problem of a column, from the message of a request field. */
export const columnProblem = (field: string, message: string) =>
  `${COLUMN_OF_FIELD[field] ?? field}: ${message}`

/** Checks rows by the rules of the service, their references, and for duplicates. */
export function checkRows(
  rows: SpreadsheetRow[],
  findReferences: Awaited<ReturnType<typeof readReferences>>,
): CheckedRow[] {
  const lines = new Map<string, number>()
  return rows.map(({ line, cells, problem }) => {
    if (problem) return { line, problems: [problem] }
    const problems: string[] = []
    const { first_name, last_name, email, cpf, phone, img_url, password } = cells
    const verification = cells.require_email_verification?.trim().toLowerCase()
    const result = createInformerBody.safeParse({
      first_name,
      last_name,
      email,
      phone,
      img_url,
      password,
      cpf: cpf?.replace(/[.\s-]/g, ''),
      require_email_verification: verification && (BOOLEANS[verification] ?? verification),
      ...findReferences(cells, (problem) => problems.push(problem)),
    })
    for (const { path, message } of result.error?.issues ?? [])
      problems.push(columnProblem(String(path[0]), message))
    const body = result.data
    for (const key of body ? identityOf(body) : []) {
      const first = lines.get(key)
      if (first) problems.push(`the same ${key.split(' ', 1)} as on line ${first}`)
      lines.set(key, first ?? line)
    }
    return body && problems.length === 0 ? { line, body, problems } : { line, problems }
  })
}

/** The values that must be unique among rows. */
const identityOf = (body: InformerBody) =>
  body.email || body.cpf
    ? [...(body.email ? [`email ${body.email}`] : []), ...(body.cpf ? [`cpf ${body.cpf}`] : [])]
    : [`row ${JSON.stringify(body)}`]

/** Independent of the column order, so a repeated import creates no informer twice. */
export const idempotencyKey = (body: InformerBody) =>
  createHash('sha256').update(JSON.stringify(body)).digest('hex')
