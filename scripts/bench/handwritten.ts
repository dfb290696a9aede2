/**
 * The limit of the platform with a database: the two reads of the service in hand-written SQL, without a
 * framework, without validation, and without any memory. The token of the cover is verified.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/v1/categories') return json(await listCategories(env.DB, url.searchParams))
    const id = await subjectOf(
      request.headers.get('Authorization')?.slice('Bearer '.length) ?? '',
      env.JWT_SECRET,
    )
    return id === null ? new Response(null, { status: 401 }) : json(await readCover(env, id))
  },
}

const json = (body: unknown) =>
  new Response(JSON.stringify(body), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  })

async function listCategories(db: D1Database, parameters: URLSearchParams) {
  const page = Number(parameters.get('page') ?? 1)
  const perPage = Number(parameters.get('per_page') ?? 12)
  const offset = (page - 1) * perPage
  const [list, counted] = await db.batch<Record<string, unknown>>([
    db
      .prepare(
        `select id, name, description, active, created_at, updated_at from categories
         order by name_folded, id limit ? offset ?`,
      )
      .bind(perPage, offset),
    db.prepare('select count(*) as total from categories'),
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

async function readCover(env: Env, id: string) {
  const texts = env.COVER_TEXTS as Record<string, { line_1?: string; line_2?: string }>
  const { results } = await env.DB.prepare(
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
      line_1: texts[String(row.group_name)]?.line_1 ?? null,
      line_2: texts[String(row.group_name)]?.line_2 ?? null,
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
  const isOurs = await crypto.subtle.verify('HMAC', await key, Buffer.from(signature, 'base64url'), signed)
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return isOurs && claims.exp > Date.now() / 1000 ? claims.sub : null
}

let key: Promise<CryptoKey> | undefined
