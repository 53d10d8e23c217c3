import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { generatedPages } from '../../scripts/docs/generated-pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAX_COLUMNS = 120

const linesOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n')

/** The lines without front matter, code blocks, tables and headings. */
function proseOf(lines: string[]): [line: string, number: number][] {
  let fence: string | undefined = lines[0] === '---' ? '---' : undefined
  return lines.flatMap((line, index): [string, number][] => {
    const isFirst = index === 0
    const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? []
    if (fence) {
      if (!isFirst && line.trim() === fence) fence = undefined
      return []
    }
    fence = mark
    return mark || /^\s*\||^#/.test(line) ? [] : [[line, index + 1]]
  })
}

/**
 * The line with one letter in place of each code span. A span ends with a run of as many backticks as it begins with
 * (CommonMark 0.31.2, section 6.1).
 */
function withoutCode(line: string): string {
  // Every second part is a run of backticks.
  const parts = line.split(/(`+)/)
  let text = ''
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? ''
    const end = part.startsWith('`') ? parts.indexOf(part, index + 1) : -1
    text += end < 0 ? part : 'x'
    index = Math.max(index, end)
  }
  return text
}

/** Whether a line is too long although it could be broken. Links and code stay in one piece. */
function isTooLong(line: string): boolean {
  const words = withoutCode(line.replace(/^[\s>*/-]+/, '')).match(/(?:!?\[[^\]]*\]\([^)]*\)|\S)+/g) ?? []
  return line.length > MAX_COLUMNS && words.length > 1
}

function longLines(files: string[], select: (lines: string[]) => [string, number][]): string[] {
  return files.flatMap((file) =>
    select(linesOf(file)).flatMap(([line, number]) => (isTooLong(line) ? [`${file}:${number}`] : [])),
  )
}

describe(`lines of more than ${MAX_COLUMNS} columns`, () => {
  it('are found where they can be broken: outside of links and code', () => {
    const filler = 'long '.repeat(30)
    assert.ok(isTooLong(`A fence (\`\` \`\`\`ts \`\`) ${filler} and a \`#\`.`))
    assert.ok(isTooLong(`A \` and a fence (\`\` \`\`\`ts \`\`) ${filler}`))
    assert.ok(!isTooLong(`\`\` \`${filler} \`\``))
    assert.ok(!isTooLong(`[${filler}](page.md)`))
  })

  it('are not in the prose of the documentation', async () => {
    const generated = Object.keys(await generatedPages()).map((file) => join('docs', file))
    const files = globSync(['docs/**/*.md', '*.md'], { cwd: ROOT }).filter((file) => !generated.includes(file))
    assert.ok(files.length > 30)
    assert.deepEqual(longLines(files, proseOf), [])
  })

  it('are not in the comments of src', () => {
    const files = globSync('src/**/*.{ts,js}', { cwd: ROOT })
    const comments = (lines: string[]) =>
      lines
        .map((line, index): [string, number] => [line, index + 1])
        .filter(([line]) => /^\s*(?:\/\/|\/?\*)/.test(line))
    assert.ok(files.length > 300)
    assert.deepEqual(longLines(files, comments), [])
  })
})
