import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stateFiles } from '../../scripts/lib/state-folder.ts'
import { copiedDemoState } from './demo-service.ts'
import { runInProcess } from './in-process.ts'

/** The line and the column of a text in a file, from 1 on. */
function placeOf(text: string, file: string) {
  const [before = ''] = readFileSync(file, 'utf8').split(text, 1)
  const lines = before.split('\n')
  return { line: lines.length, column: lines.at(-1)?.length ?? 0 }
}

it('npm run stack finds the sources of what the same checkout deployed', async () => {
  const { stateDir, remove } = await copiedDemoState()
  const text = "'Erro interno do servidor.'"
  const deployed = placeOf(
    text.slice(1, -1),
    join(stateFiles(stateDir).build, 'index.js'),
  )
  const source = placeOf(text, 'src/http/errors.ts')
  remove()

  const line = (place: string) => `{"error":"Error","stack":["at a (${place})","at b"]}\n`
  const { code, stdout } = await runInProcess('stack', [], {
    input: line(`index.js:${deployed.line}:${deployed.column}`),
  })
  expect(stdout).toBe(line(`src/http/errors.ts:${source.line}:${source.column + 1}`))
  expect(code).toBe(0)
})
