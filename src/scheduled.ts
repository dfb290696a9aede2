import { openDatabase } from './database/client.ts'
import { deleteExpired } from './database/expiry.ts'
import { sendDueEmails } from './email/sending.ts'
import { describeError, log } from './log.ts'
import { parseSettings } from './settings.ts'

/** Runs on the cron trigger: sends due emails and deletes expired rows. A failed step does not stop the others. */
export async function scheduled(_: ScheduledController, env: Env): Promise<void> {
  const db = openDatabase(env.DB.withSession('first-primary'))
  const steps = {
    'emails not sent': async () => sendDueEmails(db, env, parseSettings(env)),
    'expired rows not deleted': () => deleteExpired(db),
  }
  for (const [event, step] of Object.entries(steps)) {
    await step().catch((error) => log('error', { event, ...describeError(error) }))
  }
}
