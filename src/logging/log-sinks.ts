import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** The destination of log lines. Neither function may block. */
export interface Sink {
  /** The bytes stay unchanged until `done` is called. */
  write(bytes: Buffer, done: (error?: Error | null) => void): void
  /** Called when the process exits. Writes as much as is possible synchronously. */
  writeAtExit(bytes: Buffer): void
}

/** The sink of stdout: a file, a pipe, a socket or a terminal. */
export function standardSink(): Sink {
  const stats = fstatSync(1)
  return stats.isFile() ? fileSink(1) : streamSink(stats.isFIFO() ? reopenPipe() : process.stdout)
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
    write: (bytes, done) => void stream.write(bytes, done),
    writeAtExit: (bytes) => void stream.write(bytes),
  }
}

function fileSink(fd: number): Sink {
  const writeAll = (bytes: Buffer, done: (error?: Error | null) => void) =>
    write(fd, bytes, (error, written) => {
      if (error || written === bytes.length) done(error)
      else writeAll(bytes.subarray(written), done)
    })
  return {
    write: writeAll,
    writeAtExit(bytes) {
      try {
        writeSync(fd, bytes)
      } catch {
        // The disk is full, for example. The process is exiting and has no other output for the error.
      }
    },
  }
}
