import type * as z from 'zod'
import type { Operation } from './operation.ts'
import { page, success } from './schemas.ts'

type Body = Required<Pick<Operation, 'body'>>
type Own = Partial<Operation> & Pick<Operation, 'description'>

const MERGE_PATCH = 'Um JSON Merge Patch (RFC 7396): o que não vem fica como está.'
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * What the usual operations on a resource have in common. Each is given what it has of its own.
 * @param ids what one and several are called in operation ids: `Category`, `Categories`
 * @param one in Portuguese, with its article: `uma diocese`
 * @param many in Portuguese, with their article: `as dioceses`
 * @param data what a response shows
 * @param name in messages, by default that of `one`
 */
export function crud(
  [id, ids]: [string, string],
  [one, many]: [string, string],
  data: z.ZodType,
  name = capitalize(one.replace(/^\S+ /, '')),
) {
  const done = (verb: string) => `${name} ${verb}${one.startsWith('uma ') ? 'a' : 'o'} com sucesso.`
  return {
    list: (own: Own): Operation => ({
      id: `list${ids}`,
      summary: capitalize(many),
      response: page(data),
      ...own,
    }),
    read: (own: Own): Operation => ({
      id: `read${id}`,
      summary: capitalize(one),
      response: success({ data }),
      ...own,
    }),
    create: (own: Own & Body): Operation & Body => ({
      id: `create${id}`,
      summary: `Cria ${one}`,
      response: success({ data, message: done('criad') }),
      status: 201,
      ...own,
    }),
    update: (own: Partial<Operation> & Body): Operation & Body => ({
      id: `update${id}`,
      summary: `Altera os campos enviados de ${one}`,
      response: success({ data, message: done('atualizad') }),
      ...own,
      description: [MERGE_PATCH, own.description].filter(Boolean).join(' '),
    }),
    remove: (own: Own): Operation => ({
      id: `delete${id}`,
      summary: `Exclui ${one}`,
      response: success({ message: done('excluíd') }),
      ...own,
    }),
  }
}
