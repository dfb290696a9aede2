import { type Context, Hono } from 'hono'
import {
  type ConstraintInput,
  type ConstraintResult,
  checkConstraints,
} from '../database/informer-constraints.ts'
import { createInformer } from '../database/informers.ts'
import { CONSTRAINT_MESSAGES, createInformerBody } from '../domain/informer.ts'
import { fullName } from '../domain/names.ts'
import { sendDueEmails } from '../email/sending.ts'
import { inBackground } from '../http/background.ts'
import { type FieldErrors, ValidationError } from '../http/errors.ts'
import { idempotentId } from '../http/idempotency.ts'
import { type AuthEnv, actorOf, requireAdmin } from '../http/middleware/auth.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { hashPassword } from '../security/passwords.ts'

type Reference = keyof typeof CONSTRAINT_MESSAGES
const REFERENCES = Object.keys(CONSTRAINT_MESSAGES) as Reference[]

/** A body that is bad in form is judged by the database too, so that one 422 tells everything. */
const validInformer = validBody(createInformerBody, async (body, c: Context<AuthEnv>) =>
  referenceErrors(await checkConstraints(c.get('db'), validFields(body))),
)

/** Informers, created by administrators (specification, 4.3; contract, section 4). */
export const informers = new Hono<AuthEnv>().post('/', requireAdmin, jsonBody(), validInformer, async (c) => {
  const { password, require_email_verification, ...body } = c.req.valid('json')
  const verified =
    require_email_verification ?? (c.get('settings').REQUIRE_EMAIL_VERIFICATION && body.email !== null)
  const { checked, informer } = await createInformer(
    c.get('db'),
    {
      ...body,
      id: await idempotentId(c),
      password_hash: password === null ? null : await hashPassword(password),
      email_verification_required: verified,
    },
    actorOf(c),
  )
  if (!informer) throw new ValidationError(referenceErrors(checked))
  if (informer.email_verification_required)
    inBackground(c, sendDueEmails(c.get('db'), c.env, c.get('settings'), informer.email), 'emails not sent')

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
})

/** What the database can judge of a body that is bad elsewhere. */
function validFields(body: Record<string, unknown>): ConstraintInput {
  const part = <Key extends Reference>(key: Key) =>
    (createInformerBody.shape[key].safeParse(body[key]).data ?? null) as ConstraintInput[Key]
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

function referenceErrors(checked: ConstraintResult): FieldErrors {
  return Object.fromEntries(
    REFERENCES.filter((key) => !checked[key]).map((key) => [key, [CONSTRAINT_MESSAGES[key]]]),
  )
}
