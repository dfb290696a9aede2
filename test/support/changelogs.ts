import { administratorToken, callJson } from './helper.ts'

/** The required fields of a changelog entry. */
export const ENTRY = {
  version: 'v2.0.0',
  date: '2026-11-01',
  title: 'Um título',
  description: 'Uma descrição.',
  category: 'Melhoria',
}

/** Creates an entry, by default a draft. */
export const createEntry = async (fields: object = {}) =>
  callJson('/changelogs', {
    token: await administratorToken(),
    body: { ...ENTRY, ...fields },
  })

export const versionsOf = (body: { data: { version: string }[] }) =>
  body.data.map(({ version }) => version)
