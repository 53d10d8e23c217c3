/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Calls `next` with the value: synchronously when the value is there, after the promise has resolved otherwise. A
 * rejected promise skips `next`. An `await` of a value that is there would cost a request more than most of its steps.
 */
export function chain<T, Next>(value: MaybePromise<T>, next: (value: T) => MaybePromise<Next>): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
