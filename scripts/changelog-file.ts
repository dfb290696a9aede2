import { writeFileSync } from 'node:fs'
import { CHANGELOG_CATEGORIES } from '../src/domain/changelog.ts'
import { isMerge, parseMessage } from '../src/domain/commits.ts'
import { nextReleaseVersion, releasesByTag, sortTopologically } from '../src/domain/releases.ts'
import { isVersion } from '../src/domain/versions.ts'
import { runCommand } from './lib/command-line.ts'
import { readLocalHistory } from './lib/git-history.ts'

const FILE = 'CHANGELOG.md'
const USAGE = `Usage: npm run changelog
Writes the changelog of this repository to ${FILE}, by the rules of changelog:sync.`

await runCommand({ verb: 'write the changelog', usage: USAGE, options: {} }, () => {
  const { commits, offBranch, tags } = readLocalHistory('.')
  const releases = releasesByTag(commits, offBranch)
  const changes = sortTopologically(commits)
    .reverse()
    .filter((commit) => !isMerge(commit))
    .map((commit) => ({ ...parseMessage(commit.message), commit, release: releases.get(commit.hash) }))
  const next = nextReleaseVersion(
    changes.filter(({ release }) => !release),
    tags.filter(isVersion),
  )

  const sections = [...Map.groupBy(changes, ({ release }) => release ?? null)].map(([release, all]) => {
    const [newest] = all
    const date = newest?.commit.date.toISOString().slice(0, 10)
    const heading = release ? `## ${release} (${date})` : `## ${next} (not released yet)`
    const byCategory = CHANGELOG_CATEGORIES.map((category) => {
      const titles = all.filter((change) => change.category === category).map(({ title }) => `- ${title}`)
      return titles.length > 0 ? `\n\n### ${category}\n\n${titles.join('\n')}` : ''
    })
    return heading + byCategory.join('')
  })
  writeFileSync(
    FILE,
    `# Changelog\n\nMade from the commits by \`npm run changelog\`.\n\n${sections.join('\n\n')}\n`,
  )
  console.log(`${changes.length} changes in ${FILE}`)
})
