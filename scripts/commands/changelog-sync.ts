import { resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { pushHistory } from './changelog/changelog-history.ts'
import { readLocalHistory } from './changelog/local-history.ts'
import { authenticate, LOGIN_OPTIONS, LOGIN_USAGE } from './service/login.ts'

const USAGE = `Uso: npm run changelog:sync -- URL --login EMAIL [--repo PASTA]
Envia a história do git de uma pasta, sem --repo desta, ao serviço em URL, que termina em /v1.
Pode ser repetido: nada é importado duas vezes.
${LOGIN_USAGE}`

const command = {
  verb: 'importar',
  usage: USAGE,
  options: {
    repo: { ...TEXT, default: '.' },
    ...LOGIN_OPTIONS,
  },
  arguments: ['URL'],
  language: 'pt',
} as const

await runCommand(command, async ({ repo, ...login }, [url = '']) => {
  const history = readLocalHistory(resolveFromCallerCwd(repo))
  const service = await authenticate(url, login, ['changelogs:write'])

  let imported = 0
  let skipped = 0
  await pushHistory(service, history, (result) => {
    imported += result.imported
    skipped += result.skipped
    console.log(`${imported + skipped} de ${history.commits.length} commits`)
  })
  console.log(`Rascunhos: ${imported}; já conhecidos e merges: ${skipped}.`)
})
