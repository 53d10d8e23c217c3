import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type BodyParser, jsonParser } from './body.ts'
import { methodNotAllowed, notFound, Refusal } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** Handles an admitted request: sends the reply itself, or returns the payload for `reply.send`. */
export type Handler = (request: Request, reply: Reply) => unknown

/** Runs before the body is read. Admits the request by returning, refuses it by throwing, or sends the reply itself. */
export type Guard = (request: Request, reply: Reply) => MaybePromise<Reply | undefined>

/** Runs for every request before its route is looked up. A hook that sends the reply ends the request. */
export type Hook = (request: Request, reply: Reply) => void

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** An exact path, or a wildcard: `/a/*` matches one segment below `/a/`, and `*` matches every path. */
  path: string
  /** The media types that a body may have, each with its parser. */
  bodyParsers: BodyParser[]
  /** False for a GET that changes something. HEAD, a safe method, is then not allowed (RFC 9110, section 9.2.1). */
  isSafe?: false | undefined
  /**
   * Other methods of this path get 404, so that a 405 does not reveal the route to a client that the guard refuses with
   * 404.
   */
  isHidden?: true | undefined
  guard?: Guard | undefined
  handle: Handler
}

type Methods = Map<string, Route>

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'DELETE']

interface WildcardRoute {
  /** The path before the asterisk. */
  prefix: string
  methods: Methods
}

/**
 * The route table. An exact path is looked up in a map. Paths without an exact route are compared with the few wildcard
 * routes, the longest prefix first.
 */
export class Routes {
  readonly #byPath = new Map<string, Methods>()
  readonly #wildcards: WildcardRoute[] = []

  route(route: Omit<Route, 'bodyParsers'> & { bodyParsers?: BodyParser[] | undefined }): void {
    const methods = route.path.endsWith('*') ? this.#methodsBelow(route.path.slice(0, -1)) : this.#methodsAt(route.path)
    const complete = { ...route, bodyParsers: route.bodyParsers ?? [jsonParser] }
    methods.set(route.method, complete)
    if (route.method === 'GET' && route.isSafe !== false) methods.set('HEAD', complete)
  }

  #methodsAt(path: string): Methods {
    const methods: Methods = this.#byPath.get(path) ?? new Map()
    this.#byPath.set(path, methods)
    return methods
  }

  #methodsBelow(prefix: string): Methods {
    const existing = this.#wildcards.find((wildcard) => wildcard.prefix === prefix)
    if (existing) return existing.methods
    const methods: Methods = new Map()
    this.#wildcards.push({ prefix, methods })
    this.#wildcards.sort((a, b) => b.prefix.length - a.prefix.length)
    return methods
  }

  get(path: string, handle: Handler): void {
    this.route({ method: 'GET', path, handle })
  }

  find({ method, path }: Request): Route | undefined {
    const exact = this.#byPath.get(path)
    if (exact) return exact.get(method)
    for (const { prefix, methods } of this.#wildcards) {
      const route = matches(prefix, path) ? methods.get(method) : undefined
      if (route) return route
    }
    return undefined
  }

  /** The refusal of a request without a route: 405 when its path has a route for another method, 404 otherwise. */
  refusalFor({ path }: Request): Refusal {
    // The target of "OPTIONS *" is the server as a whole (RFC 9110, section 9.3.7).
    const methods = path === '*' ? ALL_METHODS : shownIn(this.#byPath.get(path) ?? this.#wildcardFor(path))
    if (methods.length === 0) return new Refusal(notFound)
    return new Refusal(methodNotAllowed, { headers: { Allow: methods.join(', ') } })
  }

  /** Leaves out the wildcard `*`, because its handler decides which paths exist. */
  #wildcardFor(path: string): Methods | undefined {
    return this.#wildcards.find(({ prefix }) => prefix !== '' && matches(prefix, path))?.methods
  }

  /** Every route, such as "POST /api/log-in". */
  list(): string[] {
    const wildcards = this.#wildcards.map(({ prefix, methods }) => [`${prefix}*`, methods] as const)
    return [...this.#byPath, ...wildcards].flatMap(([path, methods]) =>
      [...methods.keys()].map((method) => `${method} ${path}`),
    )
  }
}

function shownIn(methods: Methods = new Map()): string[] {
  return [...methods].flatMap(([method, { isHidden }]) => (isHidden ? [] : [method]))
}

function matches(prefix: string, path: string): boolean {
  return prefix === '' || (path.startsWith(prefix) && !path.includes('/', prefix.length))
}
