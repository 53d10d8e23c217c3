/** Something that is here already, or will be. */
export type Soon<T> = T | Promise<T>

/** Goes on at once with what is here. To wait for it as for a promise costs a request more than most of its steps. */
export function when<T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
