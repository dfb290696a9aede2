import * as z from 'zod'
import { CHANGELOG_CATEGORIES, category, commitHash, date, version } from '../../src/domain/changelog.ts'
import { cpf, email, imageUrl, password } from '../../src/domain/informer.ts'

/** What zod cannot read of the functions that check a field, as JSON Schema. `pattern` has no flags there. */
const forms: [z.core.$ZodType, Record<string, unknown>][] = [
  [email, { format: 'email', pattern: undefined, description: 'Sem distinção de maiúsculas.' }],
  [password, { format: 'password', description: 'Com letra maiúscula, letra minúscula e número.' }],
  [cpf, { description: 'Onze dígitos, com dígitos verificadores certos.', example: '52998224725' }],
  [imageUrl, { format: 'uri', description: 'http ou https.' }],
  [version, { pattern: '^v\\d+\\.\\d+\\.\\d+$', example: 'v1.2.0' }],
  [date, { format: 'date', example: '2026-01-31' }],
  [category, { enum: CHANGELOG_CATEGORIES }],
  [commitHash, { pattern: '^[0-9a-fA-F]{7,64}$', example: 'ba7b0f3ba671' }],
]
for (const [schema, form] of forms) z.globalRegistry.add(schema, form)

/** A schema as JSON Schema; those with an id of their own go to the components that all answers share. */
export function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output', shared: Record<string, unknown>) {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // a list that is counted first says what its items are only in the second part of its pipe
      const { def } = zodSchema._zod
      if (def.type === 'pipe' && def.in._zod.def.type === 'array')
        jsonSchema.items = schemaOf(def.out, io, shared).items
    },
  })
  Object.assign(shared, $defs)
  return json
}
