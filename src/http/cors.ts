import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** Lets pages of the listed origins call the API from a browser. All others get no such header, and `null` never does. */
export async function allowOrigins(app: FastifyInstance, origin: string[]): Promise<void> {
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    const isPreflight = headers.origin && headers['access-control-request-method']
    if (method === 'OPTIONS' && !isPreflight) return reply.callNotFound()
  })
  await app.register(cors, {
    origin,
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Session-Id'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
    maxAge: 600,
  })
}
