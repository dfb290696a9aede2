import type { Json } from './json-schema.ts'

/** What the fields of request bodies mean, where the name does not say it all. */
export const BODY_FIELDS: Record<string, string> = {
  active: 'Um inativo não pode mais ser escolhido; um novo, por padrão, é ativo.',
  bump: 'O mínimo que a próxima versão sobe, quando um histórico pede várias chamadas.',
  category_id: 'A função eclesiástica: uma ativa de `GET /categories`.',
  code: 'Os seis dígitos do segundo fator, onde há um.',
  color: 'Na forma `#RRGGBB`.',
  commits: 'Em qualquer ordem; sem eles, importa do repositório configurado.',
  'commits.date': 'ISO 8601; sem fuso, em UTC.',
  'commits.message': 'Inteira: o assunto e o corpo.',
  'commits.parents': 'Os hashes dos pais; um commit com dois é um merge, que é pulado.',
  'commits.tags': 'As tags deste commit.',
  'commits.version': 'A versão do registro; sem ela, a das tags, ou a próxima.',
  cpf: 'Os onze dígitos, sem pontos nem traço.',
  diocese_id: 'Uma ativa de `GET /dioceses`.',
  email: 'Maiúsculas e minúsculas não se distinguem.',
  git_commit_hash: 'O commit de que o registro fala; nenhum outro registro o tem.',
  group_id: 'Associa o informante a este grupo, e assim ao processo do grupo.',
  group_ids:
    'Associa o informante também a estes grupos, depois de `group_id` e nesta ordem.',
  groups: 'Os grupos do processo, em vez de `groups_of`.',
  'groups.color': 'Na forma `#RRGGBB`.',
  'groups.name':
    'A capa mostra as linhas de sigilo que `COVER_TEXTS` tem para este nome.',
  'groups.questionnaires': 'Os títulos dos questionários do grupo.',
  groups_of: 'O processo de que copiar grupos e questionários, em vez de `groups`.',
  ids: 'Os registros, em vez de `version`.',
  img_url: 'O endereço da imagem da pessoa, http ou https.',
  is_email_verified: 'Só `true`: a secretaria sabe que o endereço está certo.',
  is_published: 'Com `false`, um rascunho, que só administradores veem.',
  protocol: 'O número do protocolo; nenhum outro processo o tem.',
  questionnaires: 'Os títulos dos questionários do grupo.',
  require_email_verification:
    'Se é preciso confirmar o email antes de entrar; por padrão, como o serviço está configurado.',
  state: 'A sigla do estado, como `SP`.',
  tags: 'As do repositório além das dos commits enviados.',
  token: 'O do link enviado por email.',
  treatment_pronoun_id: 'Um ativo de `GET /treatment-pronouns`.',
  version: 'Como `v1.2.0`.',
}

/** The properties of an object in a body, with their descriptions. */
export function describeFields(
  properties: Record<string, Json>,
  parent = '',
): Record<string, Json> {
  const described = Object.entries(properties).map(([name, schema]) => {
    const path = parent + name
    const description = BODY_FIELDS[path]
    return [name, { ...(description && { description }), ...describeItems(schema, path) }]
  })
  return Object.fromEntries(described) as Record<string, Json>
}

/** A schema with descriptions of the fields of its items, if it is a list, or null. */
function describeItems(schema: Json, path: string): Json {
  const { anyOf, items } = schema as { anyOf?: Json[]; items?: Json }
  if (anyOf) return { ...schema, anyOf: anyOf.map((part) => describeItems(part, path)) }
  if (!items?.properties) return schema
  const properties = items.properties as Record<string, Json>
  return {
    ...schema,
    items: { ...items, properties: describeFields(properties, `${path}.`) },
  }
}
