import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type CutMoment = 'before it arrives' | 'before its response arrives'

/**
 * A TCP proxy that leads to one port of this machine and then to another, like the address of a database that fails
 * over.
 */
export async function startTcpProxy(toPort: number) {
  let target = toPort
  let cut: { naming: string[]; when: CutMoment; done: () => void } | undefined
  const open = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    let isNamed = false
    from.on('data', (data) => {
      if (data.includes('begin\0')) isNamed = false
      isNamed ||= cut?.naming.some((text) => data.includes(text)) ?? false
      if (!cut || !isNamed || !data.includes('commit\0')) return
      const { when, done } = cut
      cut = undefined
      to.unpipe(from)
      const end = () => {
        from.destroy()
        to.destroy()
        done()
      }
      if (when === 'before it arrives') end()
      else to.once('data', end).resume()
    })
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number) {
      target = port
    },
    /** Stops forwarding and leaves the connections open: neither side gets an error. */
    hang() {
      for (const socket of open) socket.pause()
    },
    resume() {
      for (const socket of open) socket.resume()
    },
    /**
     * Ends the connection at the commit of the next transaction that sends one of these texts, so that a transaction
     * of a background task is not cut instead. Resolves then.
     */
    cutAtCommit(naming: string[], when: CutMoment): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      cut = { naming, when, done: resolve }
      return promise
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
