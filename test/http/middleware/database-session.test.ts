import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { call, callJson, tokenOf } from '../../helper.ts'
import { isolate } from '../isolate.ts'

describe('the database session', () => {
  it.each([
    ['GET', '/categories', undefined, 'first-unconstrained'],
    ['HEAD', '/categories', undefined, 'first-unconstrained'],
    ['GET', '/cover', undefined, 'first-unconstrained'],
    ['GET', '/cover', '00000001-00000002-00000003-abcdef', 'first-unconstrained'],
    ['GET', '/cover', "x'; drop", 'first-unconstrained'],
    ['GET', '/cover', 'a'.repeat(129), 'first-unconstrained'],
    ['POST', '/auth/login', undefined, 'first-primary'],
    ['POST', '/informers', '00000001', 'first-primary'],
    ['DELETE', '/changelogs/x', undefined, 'first-primary'],
  ])('of %s %s with the bookmark %s is %s', async (method, path, bookmark, constraint) => {
    const { count, get } = isolate()
    await get(path, { method, headers: bookmark === undefined ? {} : { 'x-d1-bookmark': bookmark } })
    expect(count.sessions).toEqual([constraint])
  })

  it('sends a bookmark with private responses, so that a completed questionnaire is visible', async () => {
    const token = await tokenOf('bento@example.org')
    const first = await call('/cover', { token })
    const bookmark = first.headers.get('x-d1-bookmark') ?? ''
    expect(bookmark).toMatch(/^[0-9a-f-]+$/)
    const session = env.DB.withSession('first-primary')
    await session
      .prepare(
        `insert into informer_completions (informer_id, questionnaire_id)
         select users.id, questionnaires.id from users join informer_groups on informer_id = users.id
         join questionnaires on questionnaires.group_id = informer_groups.group_id
         where email = 'bento@example.org' on conflict do nothing`,
      )
      .run()
    const { body } = await callJson('/cover', {
      token,
      headers: { 'x-d1-bookmark': session.getBookmark() ?? '' },
    })
    expect(body.data.processes_groups[0].questionnaire_status).toBe('Concluído')
  })
})
