import { runCommand, UsageError } from '../lib/command-line.ts'
import { authenticate, INSECURE_USAGE, LOGIN_OPTIONS } from './service/login.ts'

const USAGE = `Uso: TOKEN=$(npm run --silent login -- URL --login EMAIL)
Entra no serviço em URL, que termina em /v1, e escreve só o token de acesso.
  --login EMAIL  o e-mail de quem entra; pergunta a senha, e um código onde há um segundo fator
                 (ou a primeira e a segunda linha da entrada)
${INSECURE_USAGE}`

const command = {
  verb: 'entrar',
  usage: USAGE,
  options: LOGIN_OPTIONS,
  arguments: ['URL'],
  language: 'pt',
} as const

await runCommand(command, async (values, [url = '']) => {
  if (!values.login) throw new UsageError('Falta: --login EMAIL')

  const { token } = await authenticate(url, values, [])
  console.log(token)
})
