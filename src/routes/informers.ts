import { type Context, Hono } from 'hono'
import { type Checkable, type Checked, checkInformer } from '../database/informer-checks.ts'
import { createInformer } from '../database/informers.ts'
import { newInformer, REFERENCE_TEXTS } from '../domain/informer.ts'
import { fullName } from '../domain/names.ts'
import { inBackground } from '../http/background.ts'
import { jsonBody } from '../http/bodies.ts'
import { administratorsOnly, type CallerEnv } from '../http/guards.ts'
import { idToCreate } from '../http/idempotency.ts'
import { type FieldErrors, InvalidData } from '../http/refusals.ts'
import { validBody } from '../http/validation.ts'
import { sendDueMails } from '../mail/verification.ts'
import { hashPassword } from '../security/passwords.ts'

type Reference = keyof typeof REFERENCE_TEXTS
const REFERENCES = Object.keys(REFERENCE_TEXTS) as Reference[]

/** A body that is bad in form is judged by the database too, so that one 422 tells everything. */
const validInformer = validBody(newInformer, async (body, c: Context<CallerEnv>) =>
  referenceErrors(await checkInformer(c.get('db'), wellFormed(body))),
)

/** Informers, created by administrators (specification, 4.3; contract, section 4). */
export const informers = new Hono<CallerEnv>().post(
  '/',
  administratorsOnly,
  jsonBody(),
  validInformer,
  async (c) => {
    const { password, require_email_verification, ...body } = c.req.valid('json')
    const verified =
      require_email_verification ?? (c.get('settings').REQUIRE_EMAIL_VERIFICATION && body.email !== null)
    const { checked, informer } = await createInformer(c.get('db'), {
      ...body,
      id: await idToCreate(c),
      password_hash: password === null ? null : await hashPassword(password),
      email_verification_required: verified,
    })
    if (!informer) throw new InvalidData(referenceErrors(checked))
    if (informer.email_verification_required)
      inBackground(
        c,
        sendDueMails(c.get('db'), c.env, c.get('settings'), informer.id),
        'mail not sent, kept for later',
      )

    return c.json(
      {
        success: true,
        data: {
          id: informer.id,
          first_name: informer.first_name,
          last_name: informer.last_name,
          full_name: fullName(informer),
          initials: informer.initials,
          email: informer.email,
          cpf: informer.cpf,
          phone: informer.phone,
          img_url: informer.img_url,
          role: informer.role,
          category: informer.category,
          treatment_pronoun: informer.treatment_pronoun,
          diocese: informer.diocese,
          process: informer.process,
          group: informer.group,
          created_at: informer.created_at,
          updated_at: informer.updated_at,
        },
        message: 'Informante criado com sucesso.',
        email_verification_required: informer.email_verification_required,
      },
      201,
    )
  },
)

/** What the database can judge of a body that is bad elsewhere. */
function wellFormed(body: Record<string, unknown>): Checkable {
  const part = <Key extends Reference>(key: Key) =>
    (newInformer.shape[key].safeParse(body[key]).data ?? null) as Checkable[Key]
  return {
    id: crypto.randomUUID(),
    email: part('email'),
    cpf: part('cpf'),
    treatment_pronoun_id: part('treatment_pronoun_id'),
    category_id: part('category_id'),
    diocese_id: part('diocese_id'),
    group_id: part('group_id'),
  }
}

function referenceErrors(checked: Checked): FieldErrors {
  return Object.fromEntries(
    REFERENCES.filter((key) => !checked[key]).map((key) => [key, [REFERENCE_TEXTS[key]]]),
  )
}
