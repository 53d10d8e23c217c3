import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

// Lines that would exceed this buffer size are dropped. V8 stores a character in one or two bytes.
const MAX_BUFFERED_CHARACTERS = 4 * 1024 * 1024
// Size of one write: the capacity of a pipe on Linux (pipe(7)).
const MAX_CHUNK_CHARACTERS = 64 * 1024

// Lines are batched for at most this time, because each write to a file wakes a thread of libuv's pool.
const MAX_DELAY_MS = 50

// Buffer space that the notice about dropped lines needs.
const MAX_NOTICE_CHARACTERS = 1024

/** The destination of log lines. Neither function may block. */
export interface Sink {
  write(text: string, done: (error?: Error | null) => void): void
  /** Called when the process exits. Writes as much as is possible synchronously. */
  writeAtExit(text: string): void
}

interface Chunk {
  text: string
  lines: number
}

/**
 * Writes log lines without blocking, however slow the reader is. Lines are collected into chunks. One chunk is written
 * at a time: when it is full, or MAX_DELAY_MS after its first line. At most MAX_BUFFERED_CHARACTERS are buffered. Lines
 * that exceed the buffer or whose write fails are dropped and counted.
 */
export class LogOutput {
  /** Called with the number of dropped lines after the next successful write. */
  onDropped: (lines: number) => void = () => {}
  readonly #sink: Sink
  readonly #chunks: Chunk[] = []
  /** Characters of all chunks, including the one that is being written. */
  #buffered = 0
  #droppedLines = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  #flushCallbacks: (() => void)[] = []

  constructor(sink: Sink) {
    this.#sink = sink
  }

  write(line: string): void {
    if (this.#buffered + line.length > MAX_BUFFERED_CHARACTERS) {
      this.#droppedLines += 1
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

  /** Writes without delay. Calls `done` when all buffered lines are written or dropped. */
  flush(done: () => void): void {
    this.#flushCallbacks.push(done)
    if (this.#buffered === 0) this.#notifyFlushed()
    else this.#schedule()
  }

  writeAtExit(): void {
    const rest = this.#chunks.splice(0)
    if (rest.length > 0) this.#sink.writeAtExit(rest.map(({ text }) => text).join(''))
  }

  #schedule(): void {
    if (this.#isWriting) return
    // The first chunk is full when a second one exists.
    if (this.#chunks.length > 1 || this.#flushCallbacks.length > 0) this.#writeNext()
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
      if (error) this.#droppedLines += chunk.lines
      else this.#reportDropped()
      if (this.#buffered === 0) this.#notifyFlushed()
      else this.#schedule()
    })
  }

  #notifyFlushed(): void {
    for (const done of this.#flushCallbacks.splice(0)) done()
  }

  #reportDropped(): void {
    const lines = this.#droppedLines
    if (lines === 0 || this.#buffered + MAX_NOTICE_CHARACTERS > MAX_BUFFERED_CHARACTERS) return
    this.#droppedLines = 0
    this.onDropped(lines)
  }
}

let standard: LogOutput | undefined

/** The log output to stdout, one per process. Its buffer is written when the process exits. */
export function standardOutput(): LogOutput {
  if (standard) return standard
  const stats = fstatSync(1)
  const output = new LogOutput(
    stats.isFile() ? fileSink(1) : streamSink(stats.isFIFO() ? reopenPipe() : process.stdout),
  )
  process.on('exit', () => output.writeAtExit())
  // Without a listener, EPIPE on stderr is an uncaught exception, which ends the process.
  process.stderr.on('error', () => {})
  standard = output
  return output
}

/**
 * Opens the pipe at stdout again. O_NONBLOCK is a flag of the open file description (open(2)), which a worker shares
 * with its primary, and Node makes it blocking again when a worker exits. A new open file description is not shared.
 */
function reopenPipe(): NodeJS.WriteStream | Socket {
  try {
    const fd = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)
    const pipe = new Socket({ fd, readable: false })
    pipe.unref()
    return pipe
  } catch {
    // The system has no /proc, or the pipe has no reader (ENXIO).
    return process.stdout
  }
}

/** A pipe, socket or terminal. Node writes to pipes and sockets without blocking and queues the remaining bytes. */
function streamSink(stream: NodeJS.WriteStream | Socket): Sink {
  // Node writes to a terminal synchronously. A terminal paused with Ctrl-S (XOFF) would block the event loop.
  const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } }
  if ('isTTY' in stream && stream.isTTY) handle?.setBlocking?.(false)
  // An error such as EPIPE also reaches the callback of `write`, which counts the dropped lines.
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
        // The disk is full, for example. The process is exiting and has no other output for the error.
      }
    },
  }
}
