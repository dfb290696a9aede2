import * as z from 'zod'

// Building blocks of response schemas. The Worker imports only their types.

export const uuid = z.uuid().meta({ examples: ['0b6f3a52-8d4b-4d6e-9a63-0c8d2a4a8a11'] })

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({
    description: 'Em UTC, com microssegundos.',
    examples: ['2026-01-31T12:00:00.123000Z'],
  })

export const timestamps = { created_at: timestamp, updated_at: timestamp }

/** A text with an example. */
export const text = (example: string) => z.string().meta({ examples: [example] })

/** A text with an example, or null. */
export const nullableText = (example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ examples: [example] })

/** An integer with an example. */
export const integer = (example: number) => z.int().meta({ examples: [example] })

const Pagination = z
  .strictObject({
    current_page: integer(1),
    per_page: integer(12),
    total: integer(1),
    last_page: integer(1),
    from: integer(1),
    to: integer(1),
    has_more_pages: z.boolean(),
  })
  .meta({ id: 'Pagination' })

/** The success envelope. */
export const success = <const Parts extends z.ZodRawShape>(parts: Parts) =>
  z.strictObject({ success: z.literal(true), ...parts })

/** The envelope of a list page. */
export const page = <Item extends z.ZodType>(item: Item) =>
  success({ data: z.array(item), pagination: Pagination })

/** The error envelope, with the possible messages of a status. */
export const errorBody = (messages: string[]) =>
  z.strictObject({ success: z.literal(false), message: z.enum(messages) })

export const ValidationError = z
  .strictObject({
    message: z.literal('Os dados fornecidos são inválidos.'),
    errors: z.record(z.string(), z.array(z.string()).min(1)),
  })
  .meta({
    id: 'ValidationError',
    description: 'As mensagens de cada campo inválido, pelo nome do campo.',
    examples: [
      {
        message: 'Os dados fornecidos são inválidos.',
        errors: { email: ['O email deve ter um formato válido.'] },
      },
    ],
  })
