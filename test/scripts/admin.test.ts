import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { copiedCheckout } from './copied-checkout.ts'
import { runInProcess } from './in-process.ts'
import { runSql } from './local-database.ts'
import { verifyPassword } from '#security/passwords.ts'

const { stateDir, remove } = temporaryState()
afterAll(remove)

const NAMED = ['create', '--first-name', 'Rui', '--email']

/** Without an account, so that no test can reach one. */
const ENV = { STATE_DIR: stateDir, HOME: stateDir, CLOUDFLARE_API_TOKEN: '', CI: 'true' }

const sql = (statement: string, ...values: string[]) =>
  runSql(stateDir, statement, ...values)

/** Runs the command with a password on its standard input. */
async function admin(args: string[], password: string) {
  const { code, stdout, stderr } = await runInProcess('admin', args, {
    env: ENV,
    input: `${password}\n`,
  })
  return { code, output: stdout + stderr }
}

describe('npm run admin', () => {
  it('creates an administrator once, and shows no password', async () => {
    const first = await admin([...NAMED, 'rui@example.org'], 'Senha2026')
    expect(first).toEqual({
      code: 0,
      output: 'rui@example.org may log in as an administrator.\n',
    })
    const second = await admin([...NAMED, ' RUI@example.org'], 'Outra2026')
    expect(second.output).toContain(
      'rui@example.org is registered already; nothing was changed.',
    )
    expect(second.code).toBe(1)
  })

  it('of a new checkout makes the secrets, without which npm start refuses data', () => {
    const { folder, remove } = copiedCheckout()
    onTestFinished(remove)
    const args = ['run', '--silent', 'admin', '--', ...NAMED, 'rui@example.org']
    const env = { ...process.env, STATE_DIR: 'data' }
    execFileSync('npm', args, { cwd: folder, env, input: 'Senha2026\n' })
    expect(readFileSync(join(folder, '.dev.vars'), 'utf8')).toMatch(
      /^JWT_SECRET="[\w-]{43}"$/m,
    )
  })

  it('sets a new password and ends every session', async () => {
    const email = 'ines@example.org'
    await admin([...NAMED, email], 'Senha2026')
    const account = () => {
      const read = 'select password_hash, token_version from users where email = ?'
      const [row] = sql(read, email)
      return row as { password_hash: string; token_version: number }
    }
    const before = account()
    sql(
      `insert into email_tokens (token_hash, user_id, kind, expires_at)
       select 'h', id, 'password_reset', '9' from users where email = ?`,
      email,
    )

    const changed = await admin(['password', '--email', 'Ines@example.org'], 'Outra2026')
    expect(changed).toEqual({ code: 0, output: 'The user has a new password.\n' })

    const after = account()
    const [old, chosen] = await Promise.all([
      verifyPassword('Senha2026', before.password_hash),
      verifyPassword('Outra2026', after.password_hash),
    ])
    expect([old.matches, chosen.matches]).toEqual([true, true])
    expect([before.token_version, after.token_version]).toEqual([1, 2])
    expect(sql('select * from email_tokens')).toEqual([])
    expect(sql('select kind, email from notices')).toEqual([
      { kind: 'password_changed', email },
    ])
  })

  it('tells nobody of a first password', async () => {
    const email = 'nina@example.org'
    await admin([...NAMED, email], 'Senha2026')
    sql('update users set password_hash = null where email = ?', email)

    const changed = await admin(['password', '--email', email], 'Outra2026')
    expect(changed.code).toBe(0)
    expect(sql('select * from notices where email = ?', email)).toEqual([])
  })

  it.each([
    [
      [...NAMED, 'x'],
      'Senha2026',
      /^Cannot change the account: the email is refused: "O email deve ter um formato válido\."\n$/,
    ],
    [
      [...NAMED, 'x@example.org'],
      'curta',
      /the password is refused: "A senha deve ter pelo menos 6 caracteres\." "A senha deve conter/,
    ],
    [
      ['password'],
      '52998224725',
      /^Cannot change the account: There is no such user; nothing was changed\.\n$/,
    ],
    [
      ['password'],
      '52998224724',
      /^Cannot change the account: the CPF is refused: "O CPF informado é inválido\."\n$/,
    ],
    [
      ['create', '--first-name', 'Beatriz', '--email', 'y@example.org'],
      'Beatriz2026',
      /^Cannot change the account: the password is refused: "Esta senha é fácil de adivinhar: escolha outra\."\n$/,
    ],
    [
      ['password', '--email', 'rui@example.org'],
      'Senha123',
      /Esta senha é fácil de adivinhar/,
    ],
    [['second-factor', '--email', 'rui@example.org'], '', /^Missing: --off or --email\n/],
    [
      ['second-factor', '--off', '--email', 'ninguem@example.org'],
      '',
      /^Cannot change the account: There is no administrator with ninguem@example\.org; nothing was changed\.\n$/,
    ],
    [
      [...NAMED, 'x@example.org', '--remote'],
      'Senha2026',
      /^Cannot change the account: wrangler\.toml has no database_id yet\. .+\n$/,
    ],
  ])(
    'with %j and the password %j reports the error',
    async (args, password, expected) => {
      const { code, output } = await admin(args, password)
      expect(output).toMatch(expected)
      expect(code).toBe(1)
    },
  )

  it('prompts for a CPF, and takes any password of the rules for an informer', async () => {
    const cpf = '11144477735'
    sql(
      `insert into users (id, role_id, first_name, name_folded, initials, cpf)
       select 'i', id, 'Informante', 'informante', 'I', ? from roles where slug = 'informer'`,
      cpf,
    )

    const { code, output } = await admin(['password'], `${cpf}\nSenha123`)
    expect([code, output]).toEqual([0, 'The user has a new password.\n'])
  })

  it('disables the second factor of an administrator, ends their sessions and leaves no record', async () => {
    const email = 'celso@example.org'
    await admin([...NAMED, email], 'Senha2026')
    const args = ['second-factor', '--off', '--email', 'CELSO@example.org']
    sql(
      `update users set second_factor_secret = 'sealed', second_factor_enabled_at = '2026'
       where email = ?`,
      email,
    )

    expect(await admin(args, '')).toEqual({
      code: 0,
      output: `${email} has no second factor any more, and has to log in again.\n`,
    })
    const factor = () =>
      sql(
        `select token_version, second_factor_secret, second_factor_enabled_at
         from users where email = ?`,
        email,
      )
    const disabled = [
      { token_version: 2, second_factor_secret: null, second_factor_enabled_at: null },
    ]
    expect(factor()).toEqual(disabled)
    expect(await admin(args, '')).toEqual({
      code: 0,
      output: `${email} has no second factor.\n`,
    })
    expect(factor()).toEqual(disabled)
    expect(sql('select * from audit_events')).toEqual([])
    expect(
      sql("select email from notices where kind = 'second_factor_disabled'"),
    ).toEqual([{ email }])
  })

  it.each([
    ['--remote', [], '1-production'],
    ['--remote --env staging', ['--env', 'staging'], '2-staging'],
  ])(
    'with %s binds only one deployed database, and needs a login to Cloudflare',
    async (_, environment, database_id) => {
      const project = join(stateDir, database_id)
      mkdirSync(project)
      const configured = readFileSync('wrangler.toml', 'utf8').replace(
        /^database_id = .+/m,
        'database_id = "1-production"',
      )
      const staging = `[[env.staging.d1_databases]]\nbinding = "DB"\ndatabase_id = "2-staging"\n`
      writeFileSync(join(project, 'wrangler.toml'), `${configured}\n${staging}`)
      const checkout = process.cwd()
      process.chdir(project)
      const { code, output } = await admin(
        [...NAMED, 'x@example.org', '--remote', ...environment],
        'Senha2026',
      ).finally(() => process.chdir(checkout))
      expect(output).toContain('CLOUDFLARE_API_TOKEN')
      expect(code).toBe(1)
      const { d1_databases } = JSON.parse(
        readFileSync(join(project, '.wrangler', 'remote.json'), 'utf8'),
      )
      expect(d1_databases).toEqual([{ binding: 'DB', database_id, remote: true }])
    },
  )
})
