import type { Soon } from '../soon.ts'
import { type BodyForm, json } from './body.ts'
import { methodNotAllowed, notFound, Refusal } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** Answers by `reply`, or with what it returns. */
export type Handler = (request: Request, reply: Reply) => unknown

/** Lets a request in, refuses it by throwing, or answers it. */
export type Admit = (request: Request, reply: Reply) => Soon<Reply | undefined>

/** Sees every request before its route does, if it has one. What it answers goes no further. */
export type Check = (request: Request, reply: Reply) => void

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** In full; or ending in a star, which stands for one more step of the path, or alone for all of it. */
  path: string
  /** What a body may be sent as. */
  forms: BodyForm[]
  /** Decides before the body is read; what it answers itself goes no further. */
  admit?: Admit | undefined
  handle: Handler
}

type Table = Map<string, Map<string, Route>>

/** Which address is whose. There are few and most have no variable part, so that looking one up is all there is to it. */
export class Routes {
  readonly #byPath: Table = new Map()
  readonly #byPattern: Table = new Map()

  route(route: Omit<Route, 'forms'> & { forms?: BodyForm[] | undefined }): void {
    const table = route.path.endsWith('*') ? this.#byPattern : this.#byPath
    const methods = table.get(route.path) ?? new Map()
    const complete = { ...route, forms: route.forms ?? [json] }
    methods.set(route.method, complete)
    if (route.method === 'GET') methods.set('HEAD', complete)
    table.set(route.path, methods)
  }

  get(path: string, handle: Handler): void {
    this.route({ method: 'GET', path, handle })
  }

  find({ method, path }: Request): Route | undefined {
    const exact = this.#byPath.get(path)
    if (exact) return exact.get(method)
    return this.#byPattern.get(`${parentOf(path)}/*`)?.get(method) ?? this.#byPattern.get('*')?.get(method)
  }

  /** Why there is no route. */
  refusalFor({ path }: Request): Refusal {
    const methods = this.#byPath.get(path)
    if (!methods) return new Refusal(notFound)
    return new Refusal(methodNotAllowed, { headers: { Allow: [...methods.keys()].join(', ') } })
  }

  /** What there is, such as "POST /api/log-in". */
  list(): string[] {
    return [...this.#byPath, ...this.#byPattern].flatMap(([path, methods]) =>
      [...methods.keys()].map((method) => `${method} ${path}`),
    )
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}
