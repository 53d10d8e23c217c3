import { type Block, type Content, greetingOf } from './content.ts'

// The usual width of a plain-text mail: a reply can quote it twice within 80 columns.
const MAX_COLUMNS = 72
const INDENT = '    '

/** Writes a mail as plain text. A line has at most 72 columns, unless it is a link or one long word. */
export function textPart(content: Content): string {
  const { blocks, reason, site } = content
  const isNamed = new URL(site.address).host !== site.title
  const footer = [wrapped(reason), ...(isNamed ? [site.title] : []), site.address]
  // "-- " is the usual line before a signature: mail programs leave out what follows it from a reply.
  return [wrapped(greetingOf(content)), ...blocks.map(textOf), `-- \n${footer.join('\n')}\n`].join('\n\n')
}

function textOf(block: Block): string {
  if (typeof block === 'string') return wrapped(block)
  if ('digits' in block) return INDENT + block.digits
  if ('link' in block) return `${block.label}: ${block.link}`
  const widest = Math.max(...block.facts.map(([label]) => label.length))
  return block.facts.map(([label, value]) => `${INDENT}${`${label}:`.padEnd(widest + 2)}${value}`).join('\n')
}

function wrapped(paragraph: string): string {
  let [line = '', ...words] = paragraph.split(' ')
  const lines: string[] = []
  for (const word of words) {
    if (line.length + 1 + word.length <= MAX_COLUMNS) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line].join('\n')
}
