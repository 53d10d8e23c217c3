const WIDTH = 56

export interface Progress {
  /** The name of the step. */
  readonly current: string
  /** Begins a step and ends the one before it. */
  step(name: string): void
  /** The current action of the step. */
  now(what: string): void
  /** The result of the step. */
  found(what: string): void
  done(): void
}

/** One line a step. On a terminal the line shows the current action until the step ends. */
export function showProgress({ stdout } = process): Progress {
  let name = ''
  let result = ''
  let began = 0
  const onTerminal = (text: string) => {
    if (stdout.isTTY) stdout.write(`\r\x1b[2K${text}`.slice(0, stdout.columns + 5))
  }
  function done() {
    if (!name) return
    const seconds = `${Math.round((performance.now() - began) / 1000)} s`
    onTerminal('')
    stdout.write(`${name.padEnd(WIDTH)} ${seconds.padStart(6)}   ${result}\n`)
    name = ''
  }
  return {
    get current() {
      return name
    },
    step(next) {
      done()
      name = next
      result = ''
      began = performance.now()
      onTerminal(`${name.padEnd(WIDTH)} …`)
    },
    now: (what) => onTerminal(`${name.padEnd(WIDTH)} … ${what}`),
    found(what) {
      result = what
    },
    done,
  }
}
