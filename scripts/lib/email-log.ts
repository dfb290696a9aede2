import { readFileSync } from 'node:fs'
import { Log, LogLevel } from 'miniflare'

/** Prints emails from the simulated `EMAIL` binding, which logs their headers and the file of the text. */
export class EmailLog extends Log {
  constructor() {
    super(LogLevel.INFO)
  }

  override logWithLevel(_: LogLevel, message: string): void {
    const file = /^Text: (.+)$/m.exec(message)?.[1]
    if (!file) return
    const headers = message.match(/^(?:To|Subject): .+$/gm)?.join('\n')
    const email = `${headers}\n\n${readFileSync(file, 'utf8')}`
    console.log(`\nEmail that would be sent:\n\n${email.replace(/^(?=.)/gm, '  ')}`)
  }
}
