import { expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { withLocalDatabase } from '../../scripts/lib/database.ts'

it('withLocalDatabase refuses a database with migrations that the checkout does not have', async () => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  await withLocalDatabase(stateDir, (database) =>
    database
      .prepare("insert into d1_migrations (name) values ('0001_list_revisions.sql')")
      .run(),
  )
  const work = withLocalDatabase(stateDir, async () => 'reached')
  await expect(work).rejects.toThrow(
    'the local database is of another version: it has 0001_list_revisions.sql. ' +
      'npm run reset deletes it; to keep its people, export them with that version.',
  )
})
