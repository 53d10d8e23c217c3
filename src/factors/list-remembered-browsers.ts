import type { AccountParts } from '../accounts/parts.ts'
import { Browser, IpAddress, OperatingSystem, Time, Uuid } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'

const RememberedBrowser = Type.Object(
  {
    id: Uuid,
    browser: Browser,
    os: OperatingSystem,
    clientIp: Type.String({ ...IpAddress, description: 'The address that it was remembered from' }),
    rememberedAt: Time,
    lastUsedAt: Time,
    expiresAt: Time,
    isCurrent: Type.Boolean({ description: 'Whether the request came from this browser', examples: [true] }),
  },
  { title: 'RememberedBrowser' },
)

export const RememberedBrowserList = Type.Object(
  { browsers: Type.Array(RememberedBrowser) },
  { title: 'RememberedBrowserList' },
)

export function listRememberedBrowsers({ database, rememberedBrowsers }: AccountParts) {
  return operation({
    id: 'listRememberedBrowsers',
    summary: 'List the browsers that sign in without the second factor',
    message: 'Remembered browsers retrieved successfully',
    description: 'The last used first, at most 100. A browser is remembered for 30 days.',
    data: RememberedBrowserList,
    links: {
      forget: {
        operationId: 'forgetRememberedBrowsers',
        description: 'Forgets a browser of the list, here the first one',
        requestBody: '$response.body#/data/browsers/0',
      },
    },
    async handle({ caller, request }) {
      const rows = await rememberedBrowsers.list(database.query, caller.userId, request)
      const browsers = rows.map((row) => ({
        id: row.id,
        browser: row.browser,
        os: row.os,
        clientIp: row.client_ip,
        rememberedAt: isoTime(row.created_at),
        lastUsedAt: isoTime(row.last_used_at),
        expiresAt: isoTime(row.expires_at),
        isCurrent: row.isCurrent,
      }))
      return { data: { browsers } }
    },
  })
}
