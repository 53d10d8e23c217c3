import { type Sink, standardSink } from './log-sinks.ts'

// Lines that would exceed this buffer size are dropped.
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
// Size of one write: the capacity of a pipe on Linux (pipe(7)).
const CHUNK_BYTES = 64 * 1024
// Lines that are encoded together, which takes less time than one by one.
const MAX_UNENCODED_LINES = 32

// Lines are batched for at most this time, because each write to a file wakes a thread of libuv's pool.
const MAX_DELAY_MS = 50

// Buffer space that the notice about dropped lines needs.
const MAX_NOTICE_BYTES = 1024

interface Chunk {
  bytes: Buffer
  /** The number of bytes in use. */
  size: number
  lines: number
}

/**
 * Writes log lines without blocking, however slow the reader is. Lines are collected into chunks. One chunk is written
 * at a time: when it is full, or MAX_DELAY_MS after its first line. At most MAX_BUFFERED_BYTES are buffered. Lines that
 * exceed the buffer or whose write fails are dropped and counted.
 *
 * Lines are encoded in small batches: a chunk of strings would be a tree of thousands of parts, which the garbage
 * collector copies and which is slow to encode.
 */
export class LogOutput {
  /** Called with the number of dropped lines after the next successful write. */
  onDropped: (lines: number) => void = () => {}
  readonly #sink: Sink
  readonly #chunks: Chunk[] = []
  /** The next lines, after those in the chunks. */
  #unencoded = ''
  #unencodedLines = 0
  /** The memory of a written chunk, for the next one. */
  #spare: Buffer | undefined
  /** Bytes of all chunks, including the one that is being written. */
  #buffered = 0
  #droppedLines = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  #flushCallbacks: (() => void)[] = []

  constructor(sink: Sink) {
    this.#sink = sink
  }

  write(line: string): void {
    this.#unencoded += line
    this.#unencodedLines += 1
    const isFull = this.#unencodedLines === MAX_UNENCODED_LINES
    if (isFull) this.#encode()
    if (isFull || !this.#timer) this.#schedule()
  }

  #encode(): void {
    const [text, lines] = [this.#unencoded, this.#unencodedLines]
    if (lines === 0) return
    this.#unencoded = ''
    this.#unencodedLines = 0
    const size = Buffer.byteLength(text)
    if (this.#buffered + size > MAX_BUFFERED_BYTES) {
      this.#droppedLines += lines
      return
    }
    this.#buffered += size
    const chunk = this.#chunkFor(size)
    // With all arguments, `write` takes half the time.
    chunk.bytes.write(text, chunk.size, size, 'utf8')
    chunk.size += size
    chunk.lines += lines
  }

  /** The last chunk, or a new one when that has too few bytes left. */
  #chunkFor(size: number): Chunk {
    const last = this.#chunks.at(-1)
    if (last && last.size + size <= last.bytes.length) return last
    const bytes = size > CHUNK_BYTES ? Buffer.allocUnsafe(size) : (this.#spare ?? Buffer.allocUnsafe(CHUNK_BYTES))
    this.#spare = undefined
    const chunk = { bytes, size: 0, lines: 0 }
    this.#chunks.push(chunk)
    return chunk
  }

  /** Writes without delay. Calls `done` when all buffered lines are written or dropped. */
  flush(done: () => void): void {
    this.#flushCallbacks.push(done)
    this.#encode()
    if (this.#buffered === 0) this.#notifyFlushed()
    else this.#schedule()
  }

  writeAtExit(): void {
    this.#encode()
    const rest = this.#chunks.splice(0)
    if (rest.length > 0) this.#sink.writeAtExit(Buffer.concat(rest.map(contentOf)))
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
    this.#encode()
    const chunk = this.#chunks.shift()
    if (!chunk) return
    this.#isWriting = true
    this.#sink.write(contentOf(chunk), (error) => {
      this.#isWriting = false
      this.#buffered -= chunk.size
      if (chunk.bytes.length === CHUNK_BYTES) this.#spare = chunk.bytes
      this.#encode()
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
    if (lines === 0 || this.#buffered + MAX_NOTICE_BYTES > MAX_BUFFERED_BYTES) return
    this.#droppedLines = 0
    this.onDropped(lines)
  }
}

function contentOf({ bytes, size }: Chunk): Buffer {
  return bytes.subarray(0, size)
}

let standard: LogOutput | undefined

/** The log output to stdout, one per process. Its buffer is written when the process exits. */
export function standardOutput(): LogOutput {
  if (standard) return standard
  const output = new LogOutput(standardSink())
  process.on('exit', () => output.writeAtExit())
  // Without a listener, EPIPE on stderr is an uncaught exception, which ends the process.
  process.stderr.on('error', () => {})
  standard = output
  return output
}
