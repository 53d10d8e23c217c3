/** Called often. `part` is the finished share of the step, from 0 to 1, if it is known. */
export type OnProgress = (step: string, detail?: string, part?: number) => void
