import { openDatabase } from './database/client.ts'
import { deleteExpiredTokens } from './database/email-tokens.ts'
import { deleteExpiredKeys } from './database/idempotency-keys.ts'
import { deleteExpiredLogins } from './database/logins.ts'
import { sendDueEmails } from './email/sending.ts'
import { describeError, log } from './log.ts'
import { parseSettings } from './settings.ts'

/** Runs on the cron trigger: sends due emails and deletes expired rows. A failed step does not stop the others. */
export async function scheduled(_: ScheduledController, env: Env): Promise<void> {
  const db = openDatabase(env.DB.withSession('first-primary'))
  const steps = {
    'emails not sent': async () => sendDueEmails(db, env, parseSettings(env)),
    'expired tokens not deleted': () => deleteExpiredTokens(db),
    'expired idempotency keys not deleted': () => deleteExpiredKeys(db),
    'expired logins not deleted': () => deleteExpiredLogins(db),
  }
  for (const [event, step] of Object.entries(steps)) {
    await step().catch((error) => log('error', { event, ...describeError(error) }))
  }
}
