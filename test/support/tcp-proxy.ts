import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address that leads to one port of this machine, and then to another, as that of a database that fails over does. */
export async function startTcpProxy(toPort: number) {
  let target = toPort
  const open = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1')
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
    /** Nothing goes through any more, and nobody is told. */
    hang() {
      for (const socket of open) socket.pause()
    },
    goOn() {
      for (const socket of open) socket.resume()
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
