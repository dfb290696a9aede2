import * as z from 'zod'
import { nullableText, text, uuid } from './schemas.ts'
import { QUESTIONNAIRE_STATUSES } from '#domain/completion.ts'

export const processFields = {
  id: uuid,
  name: text('Provisão da Diocese de Vila Serena'),
  protocol: text('BR-2026-001'),
}

export const groupFields = {
  id: uuid,
  name: text('Grupo 3'),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/)
    .meta({ examples: ['#7A1F3D'] }),
  description: text('Bispos da província.'),
}

export const Process = z.strictObject(processFields).meta({ id: 'Process' })

export const Group = z.strictObject(groupFields).meta({ id: 'Group' })

export const questionnaireFields = { id: uuid, title: text('Situação da diocese') }

/** When an informer completed a questionnaire. */
export const completedAt = nullableText('2026-01-31T12:00:00.123000Z').meta({
  description:
    'Quando o informante concluiu o questionário; `null` se ainda não concluiu.',
})

/** The completion of a pair. */
export const completionFields = {
  is_concluded: z.boolean(),
  questionnaire_status: z.enum(QUESTIONNAIRE_STATUSES),
}

/** The confidentiality lines of a group. */
export const CoverTexts = z
  .strictObject({
    line_1: nullableText('SOB SEGREDO PONTIFÍCIO'),
    line_2: nullableText(null),
  })
  .meta({ id: 'CoverTexts' })
