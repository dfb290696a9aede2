import type * as z from 'zod/mini'
import {
  createBodyOf,
  description,
  listQueryOf,
  name,
  pronounName,
  state,
  stateParameter,
  updateBodyOf,
} from './schemas.ts'
import type { OwnColumn, ReferenceTable } from '#database/reference-lists.ts'
import * as tables from '#database/schema/lists.ts'
import type { ReferenceType } from '#domain/audit.ts'
import { ApiError } from '#http/response/errors.ts'

/** The parts of a list that differ from the others. */
type Definition<Table extends ReferenceTable> = {
  /** Its path, and its tag in caches. */
  name: string
  /** The name of a row in the audit and in the path parameter. */
  type: ReferenceType
  table: Table
  searched: (keyof Table['$inferSelect'])[]
  /** The field `name` of bodies, where it has rules of its own. */
  nameField?: typeof name
  /** The list's own columns, as in request bodies. */
  fields: {
    [Column in OwnColumn<Table>]: z.ZodMiniType<Table['$inferInsert'][Column]>
  }
  /** Query parameters, named after columns. */
  filters?: Record<string, z.ZodMiniType>
  messages: { created: string; updated: string; deleted: string; notFound: string }
}

export type ReferenceList = ReturnType<typeof referenceList<ReferenceTable>>

function referenceList<Table extends ReferenceTable>(list: Definition<Table>) {
  const fields = { name: list.nameField ?? name, ...list.fields }
  return {
    ...list,
    path: `/v1/${list.name}`,
    query: listQueryOf(list.filters ?? {}),
    createBody: createBodyOf(fields),
    updateBody: updateBodyOf(fields),
    notFound: () => new ApiError(404, list.messages.notFound),
  }
}

/** The ecclesiastical functions. */
export const categories = referenceList({
  name: 'categories',
  type: 'category',
  table: tables.categories,
  searched: ['name', 'description'],
  fields: { description },
  messages: {
    created: 'Categoria criada com sucesso.',
    updated: 'Categoria atualizada com sucesso.',
    deleted: 'Categoria excluída com sucesso.',
    notFound: 'Categoria não encontrada.',
  },
})

export const dioceses = referenceList({
  name: 'dioceses',
  type: 'diocese',
  table: tables.dioceses,
  searched: ['name'],
  fields: { state },
  filters: { state: stateParameter },
  messages: {
    created: 'Diocese criada com sucesso.',
    updated: 'Diocese atualizada com sucesso.',
    deleted: 'Diocese excluída com sucesso.',
    notFound: 'Diocese não encontrada.',
  },
})

export const treatmentPronouns = referenceList({
  name: 'treatment-pronouns',
  type: 'treatment_pronoun',
  table: tables.treatmentPronouns,
  searched: ['name', 'description'],
  nameField: pronounName,
  fields: { description },
  messages: {
    created: 'Pronome de tratamento criado com sucesso.',
    updated: 'Pronome de tratamento atualizado com sucesso.',
    deleted: 'Pronome de tratamento excluído com sucesso.',
    notFound: 'Pronome de tratamento não encontrado.',
  },
})

/** All lists. Each has the routes of handlers.ts. */
export const referenceLists: ReferenceList[] = [categories, dioceses, treatmentPronouns]
