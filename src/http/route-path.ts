import type { FastifyRequest } from 'fastify'

/** The address that a request led to. However it is spelled, that is known by its route; where there is none, by itself. */
export function routePath({ url, is404, routeOptions }: FastifyRequest): string {
  const route = is404 ? undefined : routeOptions.url
  return route === undefined || route === '*' ? (url.split('?')[0] ?? '') : route
}
