import type { Config } from '../config/config.ts'
import { CalendarNotConfigured, type CalendarSource, CalendarUnavailable } from '../content/calendar.ts'
import type { Reply } from '../http/reply.ts'
import { type Representation, represent, sendRepresentation } from '../http/representation.ts'
import type { Request } from '../http/request.ts'
import type { Guard, Routes } from '../http/routes.ts'

const PATH = '/api/github-contributions'

/** Whether a response says that GITHUB_USERNAME and GITHUB_TOKEN are not both set. Then the service has not failed. */
export function isMissingSetting({ github }: Pick<Config, 'github'>, route: string | undefined, status: number) {
  return !github && route === PATH && status === 500
}

/** Serves the calendar as JSON. The response is prebuilt and rebuilt only when the calendar has changed. */
export function serveContributions(app: Routes, source: CalendarSource, rateLimitGuard: Guard): void {
  let prepared: { json: string; representation: Representation } | undefined

  app.route({ method: 'GET', path: PATH, guard: rateLimitGuard, handle: sendCalendar })

  async function sendCalendar(request: Request, reply: Reply) {
    try {
      const json = JSON.stringify(await source.current())
      if (prepared?.json !== json) {
        const headers = { 'cache-control': 'public, max-age=300, stale-while-revalidate=3600' }
        prepared = { json, representation: await represent('application/json; charset=utf-8', json, headers) }
      }
      return sendRepresentation(request, reply, prepared.representation)
    } catch (error) {
      const failure = failureOf(error)
      if (!failure) throw error
      return reply.code(failure.status).header('Cache-Control', 'no-store').send({ error: failure.error })
    }
  }
}

function failureOf(error: unknown) {
  if (error instanceof CalendarNotConfigured) {
    return {
      status: 500,
      error: {
        code: 'misconfigured',
        message: 'The contribution calendar is not configured',
        hint: 'The site’s owner has to set GITHUB_USERNAME and GITHUB_TOKEN.',
      },
    }
  }
  if (error instanceof CalendarUnavailable) {
    return {
      status: 502,
      error: {
        code: 'upstream_error',
        message: 'The code host did not give the contributions',
        hint: 'Try again in a minute.',
      },
    }
  }
  return undefined
}
