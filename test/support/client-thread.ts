import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

// Sends requests from a thread of its own, so that the processor time of the client is not counted as that of the
// service.
const { port } = workerData as { port: number }

parentPort?.on('message', (request: string) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  let status = 0
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    status ||= Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk)?.[1] ?? 0)
    socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => parentPort?.postMessage(status))
})
