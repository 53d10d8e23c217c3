import type { InstanceReport } from '../database/instances.ts'
import type { RateLimits } from './limits.ts'

// For so long, a process that has just started may find hits missing that this process has not handed out.
const CHECK_INTERVAL_MS = 1000

/**
 * Returns the hits that this process has reserved as the only one on the database, soon after another process has
 * started. `stop` returns them when this process ends.
 */
export function startReturningUnused(
  limits: Pick<RateLimits, 'hasReservedAlone' | 'returnUnused'>,
  instanceReport: Pick<InstanceReport, 'countOthers'>,
): { stop(): Promise<void> } {
  let check: Promise<void> | undefined
  const timer = setInterval(() => {
    if (limits.hasReservedAlone()) check ??= returnIfShared().finally(() => (check = undefined))
  }, CHECK_INTERVAL_MS).unref()

  async function returnIfShared(): Promise<void> {
    // While the database is unavailable, no other process takes hits of it.
    const others = await instanceReport.countOthers().catch(() => 0)
    if (others > 0) await limits.returnUnused()
  }

  return {
    async stop() {
      clearInterval(timer)
      await check
      await limits.returnUnused()
    },
  }
}
