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

const COLOURS: Record<string, number> = { debug: 90, info: 32, warn: 33, error: 31 }

function formatForPeople(line: string): string {
  const { level, time, worker, message, mail, where, err, ...rest } = JSON.parse(line)
  const at = paint(90, time.slice(11, 19) + (worker ? ` ${worker}:` : ''))
  if (message === 'request') {
    const { method, path, status, milliseconds, requestId } = rest
    const colour = status < 400 ? 32 : status < 500 ? 33 : 31
    return `${at} ${paint(colour, status)} ${method.padEnd(6)} ${path} ${paint(90, `${milliseconds} ms  ${requestId}`)}\n`
  }
  if (mail) {
    const body = mail.text.trimEnd().replace(/^/gm, `${paint(36, '│')} `)
    return `${at} ${paint(36, 'mail')} to ${mail.to}: ${mail.subject}\n${body}\n`
  }
  const places = Object.entries(where ?? {}).map(([name, place]) => `\n           ${name.padEnd(9)} ${place}`)
  const details = Object.keys(rest).length > 0 ? ` ${paint(90, JSON.stringify(rest))}` : ''
  return `${at} ${paint(COLOURS[level] ?? 0, '●')} ${message}${places.join('')}${details}${err ? `\n${err.stack || err.message}` : ''}\n`
}

const isTerminal = process.stdout.isTTY && !process.env.NO_COLOR

function paint(colour: number, text: string | number): string {
  return isTerminal ? `\x1b[${colour}m${text}\x1b[0m` : String(text)
}
