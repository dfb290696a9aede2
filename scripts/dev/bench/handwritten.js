/** The cover as one would write it for speed alone: no framework, no ORM, one SQL statement. */
const SQL = `
  select u.id, u.first_name, u.last_name, u.email, u.token_version, r.slug as role, (
    select json_group_array(json_object(
      'process', json_object('id', p.id, 'name', p.name, 'protocol', p.protocol),
      'group', json_object('id', g.id, 'name', g.name),
      'total', (select count(*) from questionnaires q where q.group_id = g.id),
      'completed', (select count(*) from questionnaires q
        join informer_completions c on c.questionnaire_id = q.id and c.informer_id = u.id
        where q.group_id = g.id)
    ) order by m.created_at, m.id)
    from informer_groups m join groups g on g.id = m.group_id
    join processes p on p.id = g.process_id where m.informer_id = u.id) as pairs
  from users u join roles r on r.id = u.role_id where u.id = ?`

const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const bytesOf = (text) => new TextEncoder().encode(text)
const decode = (text) => Uint8Array.fromBase64(text, { alphabet: 'base64url' })
let key

async function claimsOf(token, secret) {
  const [head, body, signature = ''] = token.split('.')
  key ??= await crypto.subtle.importKey('raw', bytesOf(secret), HMAC, false, ['verify'])
  const signed = bytesOf(`${head}.${body}`)
  if (!(await crypto.subtle.verify(HMAC, key, decode(signature), signed))) return null
  const claims = JSON.parse(new TextDecoder().decode(decode(body)))
  return claims.exp > Date.now() / 1000 ? claims : null
}

function pairOf({ process, group, total, completed }, texts) {
  const cover_texts = { line_1: null, line_2: null, ...texts[group.name] }
  const is_concluded = completed > 0 && completed === total
  const begun = completed > 0 ? 'Em andamento' : 'Pendente'
  const questionnaire_status = is_concluded ? 'Concluído' : begun
  return { process, group, cover_texts, is_concluded, questionnaire_status }
}

async function coverOf(token, { DB, JWT_SECRET, COVER_TEXTS }) {
  const claims = await claimsOf(token, JWT_SECRET)
  const user = claims && (await DB.prepare(SQL).bind(claims.sub).first())
  if (!user || user.token_version !== claims.token_version) return null
  if (user.role !== claims.role) return null

  const { id, first_name, last_name, email } = user
  const full_name = `${first_name} ${last_name}`
  const processes_groups = JSON.parse(user.pairs).map((pair) => pairOf(pair, COVER_TEXTS))
  const [{ process, group, cover_texts }] = processes_groups
  const informer = { id, first_name, last_name, full_name, email }
  return { informer, process, group, cover_texts, processes_groups }
}

export default {
  async fetch(request, env) {
    const data = await coverOf(request.headers.get('Authorization')?.slice(7) ?? '', env)
    return Response.json({ success: data !== null, data }, { status: data ? 200 : 401 })
  },
}
