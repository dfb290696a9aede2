type Bindings = { DB: D1Database; JWT_SECRET: string }

/**
 * The limit of the platform with a database: the reads of the service in hand-written SQL, without a framework,
 * validation or cache. It verifies a token that is sent.
 */
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const isList = pathname === '/v1/categories'
    const token = request.headers.get('Authorization')?.slice('Bearer '.length)
    if (isList && token === undefined) return json(await listCategories(env.DB, searchParams))
    const id = await subjectOf(token ?? '', env.JWT_SECRET)
    if (id === null) return new Response(null, { status: 401 })
    return json(isList ? await listCategories(env.DB, searchParams) : await readCover(env.DB, id))
  },
}

const json = (body: unknown) =>
  new Response(JSON.stringify(body), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  })

async function listCategories(db: D1Database, parameters: URLSearchParams) {
  const page = Number(parameters.get('page') ?? 1)
  const perPage = Number(parameters.get('per_page') ?? 12)
  const search = parameters.get('search')
  const offset = (page - 1) * perPage
  const condition = search === null ? '' : 'where name like ?1 or description like ?1'
  const words = search === null ? [] : [`%${search}%`]
  const [list, counted] = await db.batch<Record<string, unknown>>([
    db
      .prepare(
        `select id, name, description, active, created_at, updated_at from categories ${condition}
         order by name, id limit ?${words.length + 1} offset ?${words.length + 2}`,
      )
      .bind(...words, perPage, offset),
    db.prepare(`select count(*) as total from categories ${condition}`).bind(...words),
  ])
  const total = Number(counted?.results[0]?.total)
  return {
    success: true,
    data: list?.results.map((row) => ({ ...row, active: row.active === 1 })),
    pagination: {
      current_page: page,
      per_page: perPage,
      total,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      from: offset + 1,
      to: Math.min(offset + perPage, total),
      has_more_pages: offset + perPage < total,
    },
  }
}

const SECRET = 'SOB SEGREDO PONTIFÍCIO'
const SIN = 'Sua violação é um pecado grave e punível sob a lei canônica.'
const COVER_TEXTS: Record<string, { line_1: string; line_2?: string }> = {
  'Grupo 3': { line_1: SECRET },
  'Grupo 4': { line_1: SECRET, line_2: SIN },
  'Grupo 5': { line_1: SECRET, line_2: SIN },
  'Grupo 6': { line_1: SECRET, line_2: SIN },
}

async function readCover(db: D1Database, id: string) {
  const { results } = await db
    .prepare(
      `select u.id, u.first_name, u.last_name, u.email, p.id as process_id, p.name as process_name, p.protocol,
       g.id as group_id, g.name as group_name, count(q.id) as questionnaires, count(c.questionnaire_id) as completed
     from users u join roles r on r.id = u.role_id
     join informer_groups ig on ig.informer_id = u.id join groups g on g.id = ig.group_id
     join processes p on p.id = g.process_id left join questionnaires q on q.group_id = g.id
     left join informer_completions c on c.informer_id = u.id and c.questionnaire_id = q.id
     where u.id = ? and r.slug = 'informer' group by ig.id order by ig.created_at, ig.id`,
    )
    .bind(id)
    .all<Record<string, string | number>>()
  const pairs = results.map((row) => ({
    process: { id: row.process_id, name: row.process_name, protocol: row.protocol },
    group: { id: row.group_id, name: row.group_name },
    cover_texts: {
      line_1: COVER_TEXTS[String(row.group_name)]?.line_1 ?? null,
      line_2: COVER_TEXTS[String(row.group_name)]?.line_2 ?? null,
    },
    is_concluded: row.completed !== 0 && row.completed === row.questionnaires,
    questionnaire_status:
      row.completed === 0 ? 'Pendente' : row.completed === row.questionnaires ? 'Concluído' : 'Em andamento',
  }))
  const [first] = results
  const name = { first_name: first?.first_name, last_name: first?.last_name }
  return {
    success: true,
    data: {
      informer: { id, ...name, full_name: `${name.first_name} ${name.last_name}`, email: first?.email },
      process: pairs[0]?.process,
      group: pairs[0]?.group,
      cover_texts: pairs[0]?.cover_texts,
      processes_groups: pairs,
    },
  }
}

async function subjectOf(token: string, secret: string): Promise<string | null> {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const bytes = new TextEncoder()
  key ??= crypto.subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  const signed = bytes.encode(`${header}.${payload}`)
  const isOurs = await crypto.subtle.verify('HMAC', await key, fromBase64Url(signature), signed)
  const claims = JSON.parse(new TextDecoder().decode(fromBase64Url(payload)))
  return isOurs && claims.exp > Date.now() / 1000 ? claims.sub : null
}

const fromBase64Url = (text: string) => Uint8Array.fromBase64(text, { alphabet: 'base64url' })

let key: Promise<CryptoKey> | undefined
