import { readFileSync } from 'node:fs'
import { Log, LogLevel } from 'miniflare'

/** Shows the mails that the simulated `EMAIL` binding takes: of each it says in which file it keeps the text. */
export class MailLog extends Log {
  constructor() {
    super(LogLevel.INFO)
  }

  override logWithLevel(_: LogLevel, message: string): void {
    const file = /^Text: (.+)$/m.exec(message)?.[1]
    if (file)
      console.log(`\nA mail that would be sent:\n\n${readFileSync(file, 'utf8').replace(/^/gm, '  ')}`)
  }
}
