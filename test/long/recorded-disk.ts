import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** strace(1) options for which `readRecording` reads the output. */
export const RECORDING = ['-y', '-ttt', '-T', '-xx', '-s', '70000', '-e', 'trace=pwrite64,ftruncate,fsync,fdatasync']

type Change = { at: number; data: Buffer } | { length: number }

/** A system call on a file, with the times of its entry and return in milliseconds since 1970. */
export interface DiskCall {
  file: string
  entered: number
  left: number
  /** Undefined for a flush. */
  change: Change | undefined
}

const CALL = /^(\d+) +(\d+\.\d+) (\w+)\((.*)\) += +(-?\d+).*<(\d+\.\d+)>$/
const UNFINISHED_CALL = /^(\d+) +(\d+\.\d+) (\w+\(.*) <unfinished \.\.\.>$/
const RESUMED_CALL = /^(\d+) +(\d+\.\d+) <\.\.\. \w+ resumed>(.*)$/
const ARGUMENTS = /^\d+<(.*?)>(?:, "((?:\\x[0-9a-f]{2})*)", (\d+))?(?:, (\d+))?$/

export async function readRecording(recording: string): Promise<DiskCall[]> {
  const calls: DiskCall[] = []
  const begun = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(recording) })) {
    const [, thread = '', since = '', start] = UNFINISHED_CALL.exec(line) ?? []
    if (start) {
      begun.set(thread, `${thread} ${since} ${start}`)
      continue
    }
    const [, resumed = '', , rest] = RESUMED_CALL.exec(line) ?? []
    const whole = rest === undefined ? line : `${begun.get(resumed)}${rest}`
    const [, , entered, name = '', args = '', result, seconds] = CALL.exec(whole) ?? []
    if (!entered || Number(result) < 0) continue
    const [, path = '', data = '', , number] = ARGUMENTS.exec(args) ?? []
    // With -xx, paths are in hexadecimal too.
    const file = bytes(path).toString()
    const times = { entered: Number(entered) * 1000, left: (Number(entered) + Number(seconds)) * 1000 }
    calls.push({ file, ...times, change: changeOf(name, data, Number(number)) })
  }
  return calls.sort((a, b) => a.left - b.left)
}

function changeOf(name: string, data: string, number: number): Change | undefined {
  if (name === 'pwrite64') return { at: number, data: bytes(data) }
  if (name === 'ftruncate') return { length: number }
  return undefined
}

function bytes(text: string): Buffer {
  return text.includes('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text)
}

const SECTOR_BYTES = 512

/**
 * A possible state of a file after a power cut. A flush preserves every change that was made before it began. Of later
 * changes, each sector is preserved with the given probability.
 */
export function afterPowerCut(initial: Buffer, calls: DiskCall[], cutAt: number, probability: number): Buffer {
  const flushed = calls
    .filter(({ change, left }) => !change && left <= cutAt)
    .reduce((latest, { entered }) => Math.max(latest, entered), 0)
  const ends = calls.map(({ change }) => (change && 'data' in change ? change.at + change.data.length : 0))
  const content = Buffer.alloc(ends.reduce((most, end) => Math.max(most, end), initial.length))
  initial.copy(content)
  let length = initial.length
  for (const { change, entered, left } of calls) {
    if (!change || entered > cutAt) continue
    const isKept = left <= flushed
    if ('length' in change) {
      if (!isKept && Math.random() >= probability) continue
      content.fill(0, change.length)
      length = change.length
      continue
    }
    const { at, data } = change
    for (let from = 0; from < data.length; from += SECTOR_BYTES) {
      if (!isKept && Math.random() >= probability) continue
      const part = data.subarray(from, from + SECTOR_BYTES)
      part.copy(content, at + from)
      length = Math.max(length, at + from + part.length)
    }
  }
  return content.subarray(0, length)
}
