import { styleText } from 'node:util'
import { printable } from '../lib/printable.ts'

type Style = Parameters<typeof styleText>[0]

/** The output of a command. Results go to stdout; progress, warnings and errors go to stderr. */
export interface Terminal {
  /** Prints a line to stdout. */
  print(line?: string): void
  /** Prints a value to stdout as JSON, indented on a terminal. */
  printJson(value: unknown): void
  /** Prints a line, or several, to stderr, without control characters. */
  note(line: string): void
  /** Colours text for stdout. Without a terminal, or with NO_COLOR, returns it unchanged (`util.styleText`). */
  paint(style: Style, text: string): string
  /** Starts a line on stderr that `update` overwrites. Without a terminal nothing is printed. */
  progress(label: string): Progress
  /** Whether questions can be asked: both stdin and stdout are terminals. */
  isInteractive: boolean
  /** The width of stdout in columns; 80 if it is not a terminal. */
  columns: number
}

interface Progress {
  /** `part` is the finished share, from 0 to 1, if it is known. */
  update(detail: string, part?: number): void
  /** Removes the line. */
  end(): void
}

const UPDATE_INTERVAL_MS = 100
const ERASE_LINE = '\r\x1b[K'

export function createTerminal(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Terminal {
  return {
    print: (line = '') => void stdout.write(`${line}\n`),
    printJson: (value) => void stdout.write(`${jsonText(value, stdout.isTTY ? 2 : undefined)}\n`),
    note: (line) => void stderr.write(`${line.split('\n').map(printable).join('\n')}\n`),
    paint: (style, text) => styleText(style, text, { stream: stdout }),
    progress: (label) => (stderr.isTTY ? progressLine(stderr, label) : { update() {}, end() {} }),
    isInteractive: Boolean(process.stdin.isTTY && stdout.isTTY),
    columns: stdout.columns ?? 80,
  }
}

/** JSON in which a terminal finds no control character. `JSON.stringify` escapes only those below U+0020. */
function jsonText(value: unknown, indent: number | undefined): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, indent).replace(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, escaped)
}

function progressLine(stream: NodeJS.WriteStream, label: string): Progress {
  let printedAtMs = Number.NEGATIVE_INFINITY
  return {
    update(detail, part) {
      const now = performance.now()
      if (now - printedAtMs < UPDATE_INTERVAL_MS) return
      printedAtMs = now
      const percent = part === undefined ? '' : ` ${String(Math.floor(part * 100)).padStart(3)} %`
      stream.write(
        `${ERASE_LINE}${label}${percent}  ${detail}`.slice(0, (stream.columns ?? 80) + ERASE_LINE.length - 1),
      )
    },
    end() {
      stream.write(ERASE_LINE)
    },
  }
}

/** Lines with aligned columns, two spaces apart. Widths are counted in code points; cells must not be coloured. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, [...cell].length)
    })
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd(),
  )
}

/** Breaks text into lines of at most `width` characters, at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line]
}
