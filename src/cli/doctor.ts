import { examine, hasTimedOut, isHealthy } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { readSettings } from '../doctor/settings.ts'
import { counted } from '../lib/counted.ts'
import { printable } from '../lib/printable.ts'
import { EXIT, type Invocation } from './command.ts'
import { usageError } from './parse.ts'
import { type Terminal, wrap } from './terminal.ts'

const MARKS = { ok: '✓', warning: '!', fault: '✗', skipped: '-' } as const
const STYLES = { ok: 'green', warning: 'yellow', fault: 'red', skipped: 'gray' } as const
const MAX_WIDTH = 110

export async function run({ text, json, terminal }: Invocation): Promise<number> {
  const limitMs = readTimeout(text('timeout'))
  const sendTo = text('send-to')
  if (sendTo !== undefined && !/^[^\s@<>]+@[^\s@<>]+$/.test(sendTo)) throw usageError('--send-to must be an address')
  const read = readSettings()
  const progress = terminal.progress('Examining')
  progress.update('…')
  const findings =
    'config' in read ? await examine(read.config, { ...(limitMs && { limitMs }), sendTo }) : read.findings
  progress.end()
  const isOk = isHealthy(findings)
  if (json) terminal.printJson({ ok: isOk, findings })
  else printFindings(findings, terminal)
  const code = isOk ? EXIT.ok : EXIT.failed
  // An open connection would delay the end of the process.
  if (hasTimedOut(findings)) process.exit(code)
  return code
}

function readTimeout(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined
  if (!/^[1-9]\d{0,3}$/.test(seconds)) throw usageError('--timeout must be a number of seconds')
  return Number(seconds) * 1000
}

function printFindings(findings: Finding[], terminal: Terminal): void {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(nameWidth + 4)
  const width = Math.max(40, Math.min(terminal.columns, MAX_WIDTH) - indent.length)
  for (const { check, status, message, remedy } of findings) {
    const [first = '', ...others] = wrap(printable(message), width)
    terminal.print(`${terminal.paint(STYLES[status], MARKS[status])} ${check.padEnd(nameWidth)}  ${first}`)
    for (const line of others) terminal.print(indent + line)
    wrap(printable(remedy ?? ''), width - 2).forEach((line, index) => {
      if (line) terminal.print(`${indent}${index === 0 ? '→' : ' '} ${line}`)
    })
  }
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length
  const [faults, warnings] = [count('fault'), count('warning')]
  terminal.print()
  if (faults + warnings === 0) terminal.print('Nothing is wrong.')
  else {
    const mend = faults > 0 ? '✗ must be mended' : 'nothing must be mended'
    terminal.print(`${counted(faults, 'fault')}, ${counted(warnings, 'warning')}: ${mend}.`)
  }
}
