import { json } from 'node:stream/consumers'
import { type Fault, listenOnLoopback, misbehave, sendJson } from './loopback-server.ts'

const LEVELS = ['NONE', 'FIRST_QUARTILE', 'SECOND_QUARTILE', 'THIRD_QUARTILE', 'FOURTH_QUARTILE']
const DAY = 24 * 60 * 60_000

export interface Asked {
  authorization: string | undefined
  variables: { login: string; from: string; to: string }
}

export type Github = Awaited<ReturnType<typeof startGithub>>

/** A code host that tells contributions as GitHub's GraphQL API does: `n % 5` on the n-th day before today, times a factor. */
export async function startGithub() {
  const token = `ghp_${crypto.randomUUID().replaceAll('-', '')}`
  const asked: Asked[] = []
  const state: { fault: Fault; factor: number; users: string[] } = { fault: undefined, factor: 1, users: ['ada'] }

  const server = await listenOnLoopback(async (request, response) => {
    const { query, variables } = (await json(request)) as { query: string; variables: Asked['variables'] }
    asked.push({ authorization: request.headers.authorization, variables })
    if (await misbehave(response, state.fault)) return
    if (!request.headers['user-agent']) return sendJson(response, { message: 'User-Agent is missing' }, 403)
    if (request.headers.authorization !== `Bearer ${token}`)
      return sendJson(response, { message: 'Bad credentials' }, 401)
    if (request.method !== 'POST' || !query.includes('contributionCalendar')) return sendJson(response, {}, 400)
    if (!state.users.includes(variables.login)) return sendJson(response, UNKNOWN_USER)
    sendJson(response, calendarBetween(variables.from, variables.to, state.factor))
  })

  return {
    ...server,
    token,
    asked,
    state,
    settings: { GITHUB_USERNAME: 'ada', GITHUB_TOKEN: token, GITHUB_API_URL: `${server.url}/graphql` },
  }
}

const UNKNOWN_USER = {
  data: { user: null },
  errors: [{ type: 'NOT_FOUND', path: ['user'], message: 'Could not resolve to a User with the login of nobody.' }],
}

/** Whole weeks from Sunday on, as GitHub has them: the first and the last are cut. */
function calendarBetween(from: string, to: string, factor: number) {
  const today = Math.floor(Date.parse(to) / DAY)
  const weeks: object[][] = []
  for (let day = Math.floor(Date.parse(from) / DAY); day <= today; day++) {
    const count = (today - day) % 5
    const date = new Date(day * DAY)
    if (weeks.length === 0 || date.getUTCDay() === 0) weeks.push([])
    const contributionLevel = LEVELS[count]
    weeks.at(-1)?.push({ date: date.toISOString().slice(0, 10), contributionCount: count * factor, contributionLevel })
  }
  const contributionCalendar = { weeks: weeks.map((contributionDays) => ({ contributionDays })) }
  return { data: { user: { contributionsCollection: { contributionCalendar } } } }
}
