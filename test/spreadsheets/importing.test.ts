import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { updateInformer } from '../../scripts/commands/spreadsheets/importing.ts'
import { readInformers } from '../../scripts/commands/spreadsheets/state.ts'
import { serveCommands } from '../provisioning/helper.ts'
import { newEmail } from '../support/emails.ts'
import { administratorToken, BASE, newLogin, PASSWORD } from '../support/helper.ts'

beforeEach(serveCommands)

it('an update sets the password of the file where a new email ends one that came by a link', async () => {
  const { id } = await newLogin()
  await env.DB.prepare('update users set password_by_link = true where id = ?')
    .bind(id)
    .run()
  const service = { baseUrl: BASE, token: await administratorToken() }
  const find = async () =>
    (await readInformers(service)).find((informer) => informer.id === id)
  const changes = { fields: { email: newEmail() }, groupIds: [], descriptions: [] }
  await updateInformer(service, id, changes, PASSWORD)
  expect(await find()).toMatchObject({ ...changes.fields, has_password: true })
})
