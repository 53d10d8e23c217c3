import { styleText } from 'node:util'
import { type Logger, pino } from 'pino'
import type { Config } from '../config/config.ts'
import { type LogOutput, standardOutput } from './log-output.ts'
import { createRequestLine, type LoggedRequest } from './request-line.ts'

/** The part of the logger that the service uses. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'> & RequestLog

interface RequestLog {
  /** Logs a request after its response, at level info. Undefined at higher levels, so that callers skip the work. */
  request?: ((request: LoggedRequest) => void) | undefined
}

/**
 * Creates the logger. docs/log-schema.json describes its JSON lines. With several workers, each line has the number of
 * its worker.
 */
export function createLog(
  { logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>,
  worker?: number,
  output: Pick<LogOutput, 'write' | 'flush' | 'onDropped'> = standardOutput(),
): Logger & RequestLog {
  const options = {
    level: logLevel,
    base: worker === undefined ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    formatters: { level: (level: string) => ({ level }) },
  }
  const isPretty = logFormat === 'pretty'
  const formatted = (line: string) => (isPretty ? formatForPeople(line) : line)
  const destination = {
    write: (line: string) => output.write(formatted(line)),
    flush: (done: () => void) => output.flush(done),
  }
  const log = pino(options, destination)
  output.onDropped = (lines) => log.error({ lines }, `${lines} log lines were dropped: stdout did not take them`)
  const lineOf = createRequestLine(worker)
  const request = (request: LoggedRequest) => output.write(formatted(lineOf(request, Date.now())))
  return Object.assign(log, { request: log.isLevelEnabled('info') ? request : undefined })
}

type Style = Parameters<typeof styleText>[0]

const COLOURS: Record<string, Style> = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' }

function formatForPeople(line: string): string {
  const { level, time, worker, message, mail, where, err, ...rest } = JSON.parse(line)
  const at = paint('gray', time.slice(11, 19) + (worker ? ` ${worker}:` : ''))
  if (message === 'request') {
    const { method, path, status, milliseconds, requestId } = rest
    const colour = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
    return `${at} ${paint(colour, status)} ${method.padEnd(6)} ${path} ${paint('gray', `${milliseconds} ms  ${requestId}`)}\n`
  }
  if (mail) {
    const body = mail.text.trimEnd().replace(/^/gm, `${paint('cyan', '│')} `)
    return `${at} ${paint('cyan', 'mail')} to ${mail.to}: ${mail.subject}\n${body}\n`
  }
  const places = Object.entries(where ?? {}).map(([name, place]) => `\n           ${name.padEnd(9)} ${place}`)
  const details = Object.keys(rest).length > 0 ? ` ${paint('gray', JSON.stringify(rest))}` : ''
  return `${at} ${paint(COLOURS[level] ?? 'reset', '●')} ${message}${places.join('')}${details}${err ? `\n${err.stack || err.message}` : ''}\n`
}

const isTerminal = process.stdout.isTTY && !process.env.NO_COLOR

function paint(style: Style, text: string | number): string {
  return isTerminal ? styleText(style, String(text), { validateStream: false }) : String(text)
}
