/** Something that is here already, or will be. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on at once with what is here. To wait for it as for a promise costs a request more than most of its steps. */
export function when<T, Next>(value: MaybePromise<T>, next: (value: T) => MaybePromise<Next>): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
