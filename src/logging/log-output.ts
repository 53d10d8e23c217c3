import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

// Lines beyond this are dropped. A character takes one or two bytes of memory.
const MAX_BUFFERED_CHARACTERS = 4 * 1024 * 1024
// What is written at once: as much as a pipe holds on Linux (pipe(7)).
const MAX_CHUNK_CHARACTERS = 64 * 1024

// How long a line waits for others to be written with it: for a file, each write wakes a thread of Node's pool.
const MAX_DELAY_MS = 50

// Room for the line that tells how many were dropped.
const MAX_NOTICE_CHARACTERS = 1024

/** Where log lines go. Neither function may block. */
export interface Sink {
  write(text: string, done: (error?: Error | null) => void): void
  /** Writes what can be written at once, when the process exits. */
  writeAtExit(text: string): void
}

interface Chunk {
  text: string
  lines: number
}

/**
 * Writes log lines without waiting for their reader. Lines are collected into chunks. One chunk is written at a time: when
 * it is full, or MAX_DELAY_MS after its first line. At most MAX_BUFFERED_CHARACTERS wait. Lines that do not fit or cannot
 * be written are dropped and counted.
 */
export class LogOutput {
  /** Called with the number of dropped lines when writing works again. */
  onDropped: (lines: number) => void = () => {}
  readonly #sink: Sink
  readonly #chunks: Chunk[] = []
  /** Of all chunks and of the one that is being written. */
  #buffered = 0
  #dropped = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  #flushed: (() => void)[] = []

  constructor(sink: Sink) {
    this.#sink = sink
  }

  write(line: string): void {
    if (this.#buffered + line.length > MAX_BUFFERED_CHARACTERS) {
      this.#dropped += 1
      return
    }
    this.#buffered += line.length
    const last = this.#chunks.at(-1)
    if (last && last.text.length + line.length <= MAX_CHUNK_CHARACTERS) {
      last.text += line
      last.lines += 1
    } else {
      this.#chunks.push({ text: line, lines: 1 })
    }
    this.#schedule()
  }

  /** Writes without delay, and calls back when every line so far is written or dropped. */
  flush(done: () => void): void {
    this.#flushed.push(done)
    if (this.#buffered === 0) this.#tellFlushed()
    else this.#schedule()
  }

  writeAtExit(): void {
    const rest = this.#chunks.splice(0)
    if (rest.length > 0) this.#sink.writeAtExit(rest.map(({ text }) => text).join(''))
  }

  #schedule(): void {
    if (this.#isWriting) return
    // The first chunk is full when there is a second one.
    if (this.#chunks.length > 1 || this.#flushed.length > 0) this.#writeNext()
    else this.#timer ??= setTimeout(() => this.#writeNext(), MAX_DELAY_MS)
  }

  #writeNext(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const chunk = this.#chunks.shift()
    if (!chunk) return
    this.#isWriting = true
    this.#sink.write(chunk.text, (error) => {
      this.#isWriting = false
      this.#buffered -= chunk.text.length
      if (error) this.#dropped += chunk.lines
      else this.#tellDropped()
      if (this.#buffered === 0) this.#tellFlushed()
      else this.#schedule()
    })
  }

  #tellFlushed(): void {
    for (const done of this.#flushed.splice(0)) done()
  }

  #tellDropped(): void {
    const lines = this.#dropped
    if (lines === 0 || this.#buffered + MAX_NOTICE_CHARACTERS > MAX_BUFFERED_CHARACTERS) return
    this.#dropped = 0
    this.onDropped(lines)
  }
}

let standard: LogOutput | undefined

/** The output of this process. What is left in the buffer is written when the process exits. */
export function standardOutput(): LogOutput {
  if (standard) return standard
  const stats = fstatSync(1)
  const output = new LogOutput(stats.isFile() ? fileSink(1) : streamSink(stats.isFIFO() ? ownPipe() : process.stdout))
  process.on('exit', () => output.writeAtExit())
  // Node reports an unhandled EPIPE of stderr as an exception, which would end the process.
  process.stderr.on('error', () => {})
  standard = output
  return output
}

/**
 * The pipe at stdout, opened once more. Whether a write blocks is a flag of the open file description (open(2)), which a
 * worker shares with its primary, and Node sets it back to blocking when a worker exits. This one is ours alone.
 */
function ownPipe(): NodeJS.WriteStream | Socket {
  try {
    const fd = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)
    const pipe = new Socket({ fd, readable: false })
    pipe.unref()
    return pipe
  } catch {
    // Not on Linux, or the reader is gone.
    return process.stdout
  }
}

/** A pipe, socket or terminal. Node writes to pipes and sockets without blocking, and queues what they do not take. */
function streamSink(stream: NodeJS.WriteStream | Socket): Sink {
  // Node writes to a terminal synchronously: with Ctrl-S the whole process would stop.
  const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } }
  if ('isTTY' in stream && stream.isTTY) handle?.setBlocking?.(false)
  // EPIPE: the reader is gone. It also reaches the callback of `write`.
  stream.on('error', () => {})
  return {
    write: (text, done) => void stream.write(text, done),
    writeAtExit: (text) => void stream.write(text),
  }
}

function fileSink(fd: number): Sink {
  const writeAll = (bytes: Buffer, done: (error?: Error | null) => void) =>
    write(fd, bytes, (error, written) => {
      if (error || written === bytes.length) done(error)
      else writeAll(bytes.subarray(written), done)
    })
  return {
    write: (text, done) => writeAll(Buffer.from(text), done),
    writeAtExit(text) {
      try {
        writeSync(fd, text)
      } catch {
        // A full disk: nobody can be told.
      }
    },
  }
}
