import type { HttpResponse } from './connection.ts'

/** The result of a generator. Times are in milliseconds. */
export interface Outcome {
  responses: number
  /** Responses to requests that were in flight at the end of the time. */
  late?: number
  seconds: number
  p99: number
  /** Responses other than 2xx, broken connections, and the text of the first of them. */
  bad: number
  firstBad?: string | undefined
}

/** Counts responses within the time of the measurement. Later responses are awaited but not counted. */
export class Tally {
  readonly #began = performance.now()
  readonly until: number
  readonly #times: number[] = []
  #late = 0
  #bad = 0
  #firstBad: string | undefined

  constructor(seconds: number) {
    this.until = this.#began + seconds * 1000
  }

  get isOver(): boolean {
    return performance.now() >= this.until
  }

  count(since: number, { status, body }: HttpResponse): void {
    const now = performance.now()
    if (status < 200 || status > 299) this.fail(`${status} ${body.slice(0, 200)}`)
    else if (now <= this.until) this.#times.push(now - since)
    else this.#late += 1
  }

  fail(reason: string): void {
    this.#bad += 1
    this.#firstBad ??= reason
  }

  report(): void {
    const times = Float64Array.from(this.#times).sort()
    const outcome: Outcome = {
      responses: times.length,
      late: this.#late,
      seconds: (this.until - this.#began) / 1000,
      p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0,
      bad: this.#bad,
      firstBad: this.#firstBad,
    }
    process.stdout.write(JSON.stringify(outcome))
  }
}
