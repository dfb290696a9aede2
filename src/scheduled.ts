import { purgeChanges } from './edge-cache.ts'
import { describeError, log, logVersion } from './log.ts'
import { parseSettings, type Settings } from './settings.ts'
import {
  listSealedSecrets,
  replaceSealedSecret,
} from '#database/accounts/second-factors.ts'
import { type Database, openDatabase } from '#database/client.ts'
import { deleteExpired, deleteOldRecords } from '#database/expiry.ts'
import { sendDueEmails } from '#email/sending.ts'
import { resealed } from '#security/totp-secrets.ts'

/**
 * Runs on the cron trigger: purges changed lists from the edge, sends due emails, rotates keys,
 * deletes expired rows and old records. A failed step does not stop the others.
 */
export async function scheduled(
  _: ScheduledController,
  env: Env,
  context?: ExecutionContext,
): Promise<void> {
  logVersion(env.VERSION)
  const db = openDatabase(env.DB.withSession('first-primary'))
  const steps = {
    'cache not purged': async () => purgeChanges(db, env, context?.cache),
    'emails not sent': async () => sendDueEmails(db, env, parseSettings(env)),
    'secrets not sealed anew': async () => sealAnew(db, parseSettings(env)),
    'expired rows not deleted': () => deleteExpired(db),
    'old records not deleted': async () => endRetention(db, parseSettings(env)),
  }
  for (const [event, step] of Object.entries(steps)) {
    await step().catch((error) => log('error', { event, ...describeError(error) }))
  }
}

/** Where AUDIT_RETENTION_DAYS is set: deletes the records that are older. */
async function endRetention(
  db: Database,
  { AUDIT_RETENTION_DAYS }: Settings,
): Promise<void> {
  if (AUDIT_RETENTION_DAYS) await deleteOldRecords(db, AUDIT_RETENTION_DAYS)
}

/** While JWT_SECRET is rotated: seals the second factors by the present one. */
async function sealAnew(db: Database, settings: Settings): Promise<void> {
  if (!settings.JWT_SECRET_PREVIOUS) return

  for (const factor of await listSealedSecrets(db)) {
    const sealedAnew = await resealed(factor, settings)
    if (sealedAnew) await replaceSealedSecret(db, factor.id, factor.sealed, sealedAnew)
  }
}
