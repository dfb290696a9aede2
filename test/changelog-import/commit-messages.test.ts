import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  isMergeMessage,
  parseMessage,
  shortenMessage,
} from '#changelog-import/commit-messages.ts'
import { createEntryBody } from '#routes/changelogs/schemas.ts'

/** As `git cherry-pick -x`, GitHub and Dependabot write them. */
const CHERRY_PICKED = `(cherry picked from commit ${'0fA'.repeat(13)}0)`
const AUTHOR = 'Co-authored-by: Ana <ana@example.org>'
const DEPENDABOT = `---
updated-dependencies:
- dependency-name: a
  dependency-type: direct:production
...

Signed-off-by: dependabot[bot] <support@example.org>`

/** As release-please reads the commits of a squashed one. */
const NESTED = 'BEGIN_NESTED_COMMIT\nfix: y\n\nWhy.\nEND_NESTED_COMMIT'

describe('parseMessage', () => {
  it.each([
    ['feat: add the cover', 'Nova Funcionalidade', 'add the cover'],
    ['fix(cover): count once', 'Correção', 'count once'],
    ['perf: fewer rows', 'Melhoria', 'fewer rows'],
    ['refactor: one place', 'Melhoria', 'one place'],
    ['style: format', 'Melhoria', 'format'],
    ['docs: a tour', 'Atualização', 'a tour'],
    ['chore(deps): hono 4', 'Atualização', 'hono 4'],
    ['build: x', 'Atualização', 'x'],
    ['revert: feat: x', 'Atualização', 'feat: x'],
    ['FEAT: maiúsculas', 'Nova Funcionalidade', 'maiúsculas'],
    ['Fix(API)!: quebra', 'Correção', 'quebra'],
    ['feat(a b/c): escopo', 'Nova Funcionalidade', 'escopo'],
    ['feat: ação: informação', 'Nova Funcionalidade', 'ação: informação'],
    ['feat: ✨ brilho', 'Nova Funcionalidade', '✨ brilho'],
    ['feat:  two spaces', 'Nova Funcionalidade', 'two spaces'],
    ['feat:without a space', 'Atualização', 'feat:without a space'],
    ['feat : space before', 'Atualização', 'feat : space before'],
    ['feat', 'Atualização', 'feat'],
    ['feat:', 'Atualização', 'feat:'],
    ['✨ feat: emoji first', 'Atualização', '✨ feat: emoji first'],
    ['Add a thing', 'Atualização', 'Add a thing'],
    ['Correção de acentos', 'Atualização', 'Correção de acentos'],
    ['constructor: x', 'Atualização', 'x'],
    ['Revert "feat: x"', 'Atualização', 'Revert "feat: x"'],
    ['see http://example.org: there', 'Atualização', 'see http://example.org: there'],
    ['\n\nfix: after blank lines', 'Correção', 'after blank lines'],
    ['gpg: x', 'Atualização', 'x'],
    ['feat: a\u2028b', 'Nova Funcionalidade', 'a b'],
    ['feat: a\r\u2028b', 'Nova Funcionalidade', 'a b'],
    ['feat: a\u2028\n\nbody', 'Nova Funcionalidade', 'a'],
    ['feat: a\u001b[31m\u0007\u009b\u202eb\0', 'Nova Funcionalidade', 'a[31mb'],
    ['feat: a\tb', 'Nova Funcionalidade', 'a b'],
    [`fix: e${'\u0301'.repeat(99)}`, 'Correção', `é${'\u0301'.repeat(29)}`],
    [`fix: ${'\u0344'.repeat(99)}x`, 'Correção', `${'\u0308\u0301'.repeat(15)}x`],
    [`fix: ${'\u200d'.repeat(255)}x`, 'Correção', '(sem título)'],
    [`fix: ${'a'.repeat(254)} b`, 'Correção', 'a'.repeat(254)],
    ['feat: \u3164', 'Nova Funcionalidade', '(sem título)'],
    ['\u200b', 'Atualização', '(sem mensagem)'],
    ['', 'Atualização', '(sem mensagem)'],
    [' \n ', 'Atualização', '(sem mensagem)'],
  ])('of %j is %s: %s', (message, category, title) => {
    expect(parseMessage(message)).toMatchObject({ category, title })
  })

  it.each([
    ['feat: x', 'x'],
    ['feat: x\n\nOne line.', 'One line.'],
    ['feat: x\nright after', 'right after'],
    ['feat: x\r\n\r\nOne\r\ntwo\r\n\r\nThree\r\n', 'One\ntwo\n\nThree'],
    ['feat: x\n\nBody.\n\nBREAKING CHANGE: y\nReviewed-by: Z <z@example.org>', 'Body.'],
    ['feat: x\n\nBREAKING CHANGE: y', 'x'],
    ['feat: x\n\nBody.\n\nBREAKING CHANGE:\ny\n\nat length', 'Body.'],
    ['feat: x\n\nBREAKING CHANGE:\n\ny', 'x'],
    [`fix: ${'ç'.repeat(300)}`, 'ç'.repeat(255)],
    ['é'.repeat(300), 'é'.repeat(255)],
    ['fix: x\n\nBody.\n\nCloses #12', 'Body.'],
    ['fix: x\n\nBody.\n\nCloses: #12, #13\n Corrige #14', 'Body.'],
    ['fix: x\n\nBody.\n\n  BREAKING CHANGE: y', 'Body.'],
    ['fix: x\n\nContexto: tela quebrada.', 'Contexto: tela quebrada.'],
    ['fix: x\n\nBody.\n\nRefs: 1', 'Body.\n\nRefs: 1'],
    ['fix: x\n\nBody.\n\nReviewed-by: Z\nChange-Id: I12', 'Body.'],
    ['fix: x\n\na\n\nSigned-off-by: Ana <ana@example.org>\n\nb', 'a\n\nb'],
    ['fix: x\n\na\n  Cc: Ana <ana@example.org> # v2\nb', 'a\nb'],
    ['fix: x\n\nCloses #1\nSigned-off-by: Ana <ana@example.org>', 'x'],
    ['fix: x\n\na\nReported-by: Ana <ana@example.org> [by phone]\nb', 'a\nb'],
    [
      'fix: x\n\nContexto: Ana <ana@example.org> não entra.',
      'Contexto: Ana <ana@example.org> não entra.',
    ],
    ['fix: x\n\nSee: <https://example.org/@a>', 'See: <https://example.org/@a>'],
    ['fix: x\n\na\u001b[2J\u0085b\u202e\tc\rd', 'a[2Jb\tc\rd'],
    [`fix: x\n\n${'e\u0301'.repeat(10_001)}`, 'é'.repeat(10_000)],
    ['No convention\n\nBut a body.\n\nCo-authored-by: Z <z@example.org>', 'But a body.'],
    ['fix: x\n\n- one: a\n- two: b', '- one: a\n- two: b'],
    [
      'fix: t\n\nNote: this matters\nand more text\n\nsecond',
      'Note: this matters\nand more text\n\nsecond',
    ],
    ['fix: t\n\nPer #4510: why\n\nand how\n\nFixes #1', 'Per #4510: why\n\nand how'],
    ['fix: t\n\n-type-\nINJECTED\n-notes-\nx', '-type-\nINJECTED\n-notes-\nx'],
    ['fix: t\n\nfirst\ngpg: a line', 'first\ngpg: a line'],
    ['fix: t\n\nOne.\n \t\n\nTwo.', 'One.\n\nTwo.'],
    ['fix: t\n\nBody. \n\nRefs #1', 'Body.'],
    ['fix: t\n\nBody.\n\nRefs #1\nand more text', 'Body.\n\nRefs #1\nand more text'],
    ['feat: x\n\nBody.\n\nBREAKING CHANGE: y\n\nat length\n\nRefs #1', 'Body.'],
    [
      'fix: x\n\nBody.\n\nSigned-off-by: A <a@example.org>\n  Co-authored-by: B <b@example.org>',
      'Body.',
    ],
    ['fix: t\n\n\u200b', 't'],
    [
      'fix: b\n\nbody\n\nRefs: #123\nBREAKING CHANGE: the endpoint is gone and callers\nhave to move',
      'body',
    ],
    ['fix: t\n\nUsage:\n\n  key: value', 'Usage:\n\n  key: value'],
    [`fix: x\n\nBody.\n\nReviewed-by: Ana\n${CHERRY_PICKED}`, 'Body.'],
    [`fix: x\n\nBody.\n\n${CHERRY_PICKED}`, 'Body.'],
    ['fix: x\n\n(cherry picked from commit x)', '(cherry picked from commit x)'],
    [`fix: x\n\n${CHERRY_PICKED}\n\nBody.`, `${CHERRY_PICKED}\n\nBody.`],
    [`fix: x\n\nBody.\n\n---------\n\n${AUTHOR}`, 'Body.'],
    [`fix: x\n\n---------\n\n${AUTHOR}`, 'x'],
    [`fix: x\n\n* a\n\n---\n\n* b\n\n-----\n${AUTHOR}`, '* a\n\n---\n\n* b'],
    ['fix: x\n\nBody.\n\n---------\n\nBREAKING CHANGE: y\nat length', 'Body.'],
    ['fix: x\n\nTitle\n-----\n\nText', 'Title\n-----\n\nText'],
    [`chore: bump a\n\nBumps a.\n\n${DEPENDABOT}`, 'Bumps a.'],
    [`chore: bump a\n\n${DEPENDABOT}`, 'bump a'],
    ['fix: x\n\n---\na: 1\n...\n\nText', '---\na: 1\n...\n\nText'],
    ['fix: x\n\n---\na: 1', '---\na: 1'],
    [`fix: x\n\nBody.\n\n${AUTHOR}\n  goes on\nReviewed-by:  Z`, 'Body.'],
    [`fix: x\n\na\n\n${AUTHOR}\n\nb\n\n${AUTHOR}`, 'a\n\nb'],
    [`fix: x\n\na\n${AUTHOR}\n  goes on\n\nb`, 'a\n  goes on\n\nb'],
    [
      `feat: x\n\nBody.\n\n${NESTED}\n${NESTED}\n\n${AUTHOR}`,
      'Body.\n\nfix: y\n\nWhy.\nfix: y\n\nWhy.',
    ],
    ['feat: x\n\nBEGIN_NESTED_COMMIT \n\n END_NESTED_COMMIT', 'x'],
    ['feat: x\n\nBEGIN_NESTED_COMMIT: a', 'BEGIN_NESTED_COMMIT: a'],
  ])('of %j has the description %j', (message, description) => {
    expect(parseMessage(message).description).toBe(description)
  })

  it('leaves 20,000 footers out of the description', () => {
    expect(
      parseMessage(`fix: t\n\n${'BREAKING CHANGE: x\n'.repeat(20_000)}`).description,
    ).toBe('t')
  })

  it.each([
    ['feat: x', 'minor'],
    ['FEAT(a): x', 'minor'],
    ['feat!: x', 'major'],
    ['chore(api)!: x', 'major'],
    ['fix: x\n\nBREAKING CHANGE: y', 'major'],
    ['fix: x\n\nBody\n\nBREAKING-CHANGE: y', 'major'],
    ['fix: x\r\n\r\nBREAKING CHANGE: y\r\n', 'major'],
    ['fix: x\n\nRefs: 1\nBREAKING CHANGE: y', 'major'],
    ['fix: x\n\nBREAKING CHANGE: y\n\nat length', 'major'],
    ['fix: x\nBREAKING CHANGE: y', 'major'],
    [
      'fix: x\n\nRefs: something long\nthat is wrapped\nBREAKING CHANGE: y\nat length',
      'major',
    ],
    ['fix: x\n\nBREAKING CHANGE:\ny', 'major'],
    ['fix: x\n\nBody\n\nBREAKING-CHANGE:\r\n\r\ny', 'major'],
    ['fix: x\n\nBREAKING CHANGE: \ny', 'major'],
    ['fix: x\n\nBREAKING CHANGE:', 'major'],
    ['fix: x\n\nBREAKING CHANGE #12', 'major'],
    ['fix: x\n\n \tBREAKING CHANGE: y', 'major'],
    ['fix: x\n\nBREAKING CHANGE:y', 'patch'],
    ['fix: x\n\nBREAKING CHANGE y', 'patch'],
    ['fix: x\n\nbreaking change: y', 'patch'],
    ['fix: x\n\nno BREAKING CHANGE: here', 'patch'],
    ['fix: x!', 'patch'],
    ['Hello!: x', 'major'],
  ])('of %j is a %s release', (message, releaseType) => {
    expect(parseMessage(message).releaseType).toBe(releaseType)
  })

  it('normalizes no more than 30 marks in a row, because ICU takes quadratic time', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    parseMessage(`a${'\u0345\u0334\u0323'.repeat(9_900)}`)
    expect(normalize.mock.contexts.map((text) => String(text).length)).toEqual([31])
    normalize.mockRestore()
  })

  it('truncates titles and descriptions between characters', () => {
    const { title, description } = parseMessage(
      `feat: ${'😀'.repeat(300)}\n\n${'é'.repeat(10_001)}`,
    )
    expect(title).toBe('😀'.repeat(255))
    expect(description).toBe('é'.repeat(10_000))
  })

  const anyMessage = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          ...[
            'feat',
            '!',
            ': ',
            '\n',
            '\n\n',
            '\r\n',
            ' ',
            'BREAKING CHANGE: ',
            'Closes #1',
            '\n---\n',
            '\n...\n',
            `\n${CHERRY_PICKED}\n`,
          ],
          ...[
            'a-b: ',
            '<a@b>',
            'ç',
            '\ud800',
            '\0',
            '\u200b',
            '\u0344'.repeat(40),
            '\u2028',
          ],
        ),
      )
      .map((parts) => parts.join('')),
  )

  it('makes texts that a request may contain', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const { title, description, category } = parseMessage(message)
        const entry = {
          version: 'v2.0.0',
          date: '2026-11-01',
          title,
          description,
          category,
        }
        expect(createEntryBody.parse(entry)).toMatchObject(entry)
      }),
    )
  })

  it('makes the same of a shortened message', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(parseMessage(shortenMessage(message))).toEqual(parseMessage(message))
      }),
    )
    const long = `feat: x\n\n${'long '.repeat(400_000)}\n\nBREAKING CHANGE: y`
    expect(shortenMessage(long).length).toBeLessThan(10_300)
    expect(parseMessage(shortenMessage(long))).toEqual(parseMessage(long))
  })
})

describe('isMergeMessage', () => {
  it.each([
    ["Merge branch 'main' into feature", true],
    ["\n\nMerge branch 'a'", true],
    ["Merge branch 'topic' (early part)", true],
    ["Merge branch 'topic' of https://example.org/a into main", true],
    ["Merge branches 'a' and 'b'", true],
    ["Merge remote-tracking branch 'origin/x'", true],
    ["Merge remote-tracking branches 'origin/x' and 'origin/y'", true],
    ["Merge tag 'v1.0.0'", true],
    ["Merge tags 'v1.0.0' and 'v1.0.1' into main", true],
    ["Merge commit 'abcdef1'", true],
    ['Merge pull request #12 from someone/branch', true],
    ['Merge https://example.org/a/b', true],
    ['Merge git@example.org:a/b into dev\n\nBody', true],
    ['Merge ../a into main', true],
    ['feat: x', false],
    ["feat: Merge branch 'a'", false],
    ['Merge HEAD of the queue', false],
    ['Merge one; two', false],
    ['Merge ./a and ./b', false],
    ['Merge /admin routes into /api', false],
    ['Merge https://example.org/a and b', false],
    ['Merge changes: x', false],
    ['Merge commit from fork', false],
  ])('of %j is %s', (message, expected) => {
    expect(isMergeMessage(message)).toBe(expected)
  })
})
