import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CardFacts } from './cards/facts.ts'
import { FONT_CONFIGURATION } from './cards/fonts.ts'
import type { PictureProblem, PictureSizes } from './picture-facts.ts'

/** Make the sizes of a file, or draw a card. */
export type PictureTask = { path: string } | { card: CardFacts }

interface TaskResult {
  result?: unknown
  problem?: string
  /** The code of an error of the system. */
  code?: string
}

interface Job {
  task: PictureTask
  done: PromiseWithResolvers<unknown>
}

// A photograph takes a few seconds of CPU time. The process ends itself at this limit.
const TASK_CPU_LIMIT_MS = 60_000
// The process is killed when a task takes longer: it has stopped without using CPU time.
const TASK_LIMIT_MS = 15 * 60_000
const IDLE_LIMIT_MS = 15_000
// Each request for a card that is not drawn yet waits for its turn.
const MAX_WAITING_CARDS = 100

/** Thrown for a card while too many others wait. */
export class TooManyCards extends Error {}

/** Runs the process that draws, on demand, and gives it one task at a time. Cards come before sizes. */
export function createPictureMaker(
  storeFolder: string,
  fontFolder: string,
  { taskCpuLimitMs = TASK_CPU_LIMIT_MS } = {},
) {
  const cards: Job[] = []
  const sizes: Job[] = []
  let child: ChildProcess | undefined
  let current: Job | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function submit(queue: Job[], task: PictureTask): Promise<unknown> {
    if (isClosed) return Promise.reject(new Error('the site is closed'))
    const job: Job = { task, done: Promise.withResolvers() }
    queue.push(job)
    next()
    return job.done.promise
  }

  function next(): void {
    if (current) return
    clearTimeout(timer)
    current = cards.shift() ?? sizes.shift()
    try {
      child ??= current && start()
    } catch (error) {
      // A later task tries again. Without memory for a process, Node throws instead of emitting an error.
      process.nextTick(fail, error)
      return
    }
    timer = setTimeout(stop, current ? TASK_LIMIT_MS : IDLE_LIMIT_MS).unref()
    // A process without a channel has failed to start. Its event `error` or `exit` follows, and rejects the task.
    if (current && child?.connected) child.send(current.task)
  }

  function start(): ChildProcess {
    const parameters = [storeFolder, fontFolder, String(taskCpuLimitMs)]
    const started = fork(fileURLToPath(new URL('./picture-process.js', import.meta.url)), parameters, {
      execArgv: [],
      // The process decodes pictures, so it has no part of the environment of the service, such as secrets.
      env: {
        FONTCONFIG_FILE: join(fontFolder, FONT_CONFIGURATION),
        PANGOCAIRO_BACKEND: 'fontconfig',
        // The encoders allocate in many threads. With few arenas, glibc returns their memory sooner.
        MALLOC_ARENA_MAX: '2',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    // The work does not keep this process alive: the next start continues it.
    started.unref()
    started.channel?.unref()
    started.on('message', ({ result, problem, code }: TaskResult) => {
      if (problem === undefined) succeed(result)
      else fail(Object.assign(new Error(problem), { code }))
    })
    // An error of the system, such as EAGAIN, says nothing about the picture.
    started.on('error', ended)
    started.on('exit', () => ended(new Error('the process that draws pictures has ended')))
    return started

    function ended(error: Error) {
      if (child !== started) return
      child = undefined
      fail(error)
    }
  }

  function succeed(result: unknown): void {
    current?.done.resolve(result)
    current = undefined
    next()
  }

  function fail(error: Error): void {
    current?.done.reject(error)
    current = undefined
    next()
  }

  /** An idle process is forgotten at once: a task that arrives before its end gets a new one. */
  function stop(): void {
    const stopped = child
    if (!current) child = undefined
    stopped?.kill('SIGKILL')
  }

  return {
    makeSizes: (path: string) => submit(sizes, { path }) as Promise<PictureSizes | PictureProblem>,
    async drawCard(card: CardFacts): Promise<Buffer> {
      if (cards.length >= MAX_WAITING_CARDS) throw new TooManyCards('too many cards wait')
      return Buffer.from((await submit(cards, { card })) as Uint8Array)
    },
    close(): void {
      isClosed = true
      for (const { done } of [...cards.splice(0), ...sizes.splice(0)]) done.reject(new Error('the site is closed'))
      clearTimeout(timer)
      stop()
    },
  }
}

export type PictureMaker = ReturnType<typeof createPictureMaker>
