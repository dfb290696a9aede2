import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { withDatabase } from './local-server.ts'
import { applyDocument } from './provisioning/apply.ts'
import { DocumentError, parseDocument } from './provisioning/document.ts'

const USAGE =
  'Usage: npm run admin -- create --email EMAIL --first-name NAME [--last-name NAME] [--remote]\n' +
  'The password is asked for, or read from the first line of the input.'

try {
  await create()
} catch (error) {
  const isWrong = error instanceof DocumentError
  console.error(isWrong ? 'The administrator was not created:' : 'Cannot create the administrator:')
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Creates an administrator in the local or the deployed database. */
async function create(): Promise<void> {
  const { email, 'first-name': first_name, 'last-name': last_name, remote } = options()
  const password = await askPassword()
  const administrator = { first_name, last_name, email, password }
  const document = parseDocument(JSON.stringify({ administrators: [administrator] }))
  const isNew = await withDatabase(remote, async (database) => {
    const known = await database
      .prepare('select 1 from users where email = ?')
      .bind(email.toLowerCase())
      .first()
    if (known) return false
    await applyDocument(database, document)
    return true
  })
  if (!isNew) throw new Error(`${email} is registered already; nothing was changed.`)
  console.log(`${email} may log in as an administrator.`)
}

function options() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        email: { type: 'string' },
        'first-name': { type: 'string' },
        'last-name': { type: 'string' },
        remote: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const { email, 'first-name': firstName } = values
    if (positionals.join() !== 'create' || !email || !firstName) throw new Error()
    return { ...values, email, 'first-name': firstName }
  } catch {
    throw new Error(USAGE)
  }
}

/** Asks without showing what is typed, and twice, so that a slip of the finger is noticed. */
async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLine()
  const password = await askHidden('Password: ')
  if ((await askHidden('Again: ')) !== password) throw new Error('The two passwords differ.')
  return password
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

async function askHidden(question: string): Promise<string> {
  process.stdout.write(question)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  terminal.on('SIGINT', () => process.exit(130))
  const answer = await terminal.question('')
  terminal.close()
  process.stdout.write('\n')
  return answer
}
