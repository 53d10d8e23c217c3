import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that Linux gives to outgoing connections and to `listen(0)` (ip(7), ip_local_port_range). A port of
// that range may be taken before the server of a test binds it, or while that server is down.
const MIN_PORT = 10_000
const MAX_PORT = 32_000

/** A port that no server listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
