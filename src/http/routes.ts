import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type BodyParser, json } from './body.ts'
import { methodNotAllowed, notFound, Refusal } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** Answers by `reply`, or with what it returns. */
export type Handler = (request: Request, reply: Reply) => unknown

/** Lets a request in, refuses it by throwing, or answers it. */
export type Guard = (request: Request, reply: Reply) => MaybePromise<Reply | undefined>

/** Sees every request before its route does, if it has one. What it answers goes no further. */
export type Hook = (request: Request, reply: Reply) => void

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** In full; or ending in a star, which stands for one more step of the path, or alone for all of it. */
  path: string
  /** What a body may be sent as. */
  bodyParsers: BodyParser[]
  /** False for a GET that changes something: it is no HEAD. */
  isSafe?: false | undefined
  /** Decides before the body is read; what it answers itself goes no further. */
  guard?: Guard | undefined
  handle: Handler
}

type Methods = Map<string, Route>

const ALL_METHODS = new Map(['GET', 'HEAD', 'POST', 'DELETE'].map((method) => [method, undefined]))

interface WildcardRoute {
  /** What its addresses begin with. */
  start: string
  methods: Methods
}

/** Which address is whose. There are few and most have no variable part, so that looking one up is all there is to it. */
export class Routes {
  readonly #byPath = new Map<string, Methods>()
  readonly #wildcards: WildcardRoute[] = []

  route(route: Omit<Route, 'bodyParsers'> & { bodyParsers?: BodyParser[] | undefined }): void {
    const methods = route.path.endsWith('*') ? this.#below(route.path.slice(0, -1)) : this.#at(route.path)
    const complete = { ...route, bodyParsers: route.bodyParsers ?? [json] }
    methods.set(route.method, complete)
    if (route.method === 'GET' && route.isSafe !== false) methods.set('HEAD', complete)
  }

  #at(path: string): Methods {
    const methods: Methods = this.#byPath.get(path) ?? new Map()
    this.#byPath.set(path, methods)
    return methods
  }

  #below(start: string): Methods {
    const found = this.#wildcards.find((wildcards) => wildcards.start === start)
    if (found) return found.methods
    const methods: Methods = new Map()
    this.#wildcards.push({ start, methods })
    // What is named more closely goes first.
    this.#wildcards.sort((a, b) => b.start.length - a.start.length)
    return methods
  }

  get(path: string, handle: Handler): void {
    this.route({ method: 'GET', path, handle })
  }

  find({ method, path }: Request): Route | undefined {
    const exact = this.#byPath.get(path)
    if (exact) return exact.get(method)
    for (const { start, methods } of this.#wildcards) {
      const route = isBelow(start, path) ? methods.get(method) : undefined
      if (route) return route
    }
    return undefined
  }

  /** Why there is no route. */
  refusalFor({ path }: Request): Refusal {
    // "OPTIONS *" asks for the server as a whole (RFC 9110, section 9.3.7).
    const methods = path === '*' ? ALL_METHODS : (this.#byPath.get(path) ?? this.#starredFor(path))
    if (!methods) return new Refusal(notFound)
    return new Refusal(methodNotAllowed, { headers: { Allow: [...methods.keys()].join(', ') } })
  }

  /** Not the route of all paths: its handler alone knows which of them exist. */
  #starredFor(path: string): Methods | undefined {
    return this.#wildcards.find(({ start }) => start !== '' && isBelow(start, path))?.methods
  }

  /** What there is, such as "POST /api/log-in". */
  list(): string[] {
    const wildcards = this.#wildcards.map(({ start, methods }) => [`${start}*`, methods] as const)
    return [...this.#byPath, ...wildcards].flatMap(([path, methods]) =>
      [...methods.keys()].map((method) => `${method} ${path}`),
    )
  }
}

function isBelow(start: string, path: string): boolean {
  return start === '' || (path.startsWith(start) && !path.includes('/', start.length))
}
