import { readFileSync } from 'node:fs'
import { Log, LogLevel } from 'miniflare'

/**
 * Shows the mails that the simulated `EMAIL` binding takes: of each it tells to whom it goes, and in which file it
 * keeps the text.
 */
export class EmailLog extends Log {
  constructor() {
    super(LogLevel.INFO)
  }

  override logWithLevel(_: LogLevel, message: string): void {
    const file = /^Text: (.+)$/m.exec(message)?.[1]
    if (!file) return
    const heads = message.match(/^(?:To|Subject): .+$/gm)?.join('\n')
    const mail = `${heads}\n\n${readFileSync(file, 'utf8')}`
    console.log(`\nA mail that would be sent:\n\n${mail.replace(/^(?=.)/gm, '  ')}`)
  }
}
