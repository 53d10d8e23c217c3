// Only the hash of a password, as often as it can be computed in the given time: `hash.ts <seconds> <stored hash>`. As
// many at once as there are cores, with the parameters of a hash of Portico, on the thread pool of Node.
import { argon2 } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const [seconds, stored = ''] = process.argv.slice(2)
const [, memory, passes, parallelism, salt = ''] = /m=(\d+),t=(\d+),p=(\d+)\$([^$]+)/.exec(stored) ?? []
const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism), tagLength: 32 }
const nonce = Buffer.from(salt, 'base64')
const derive = promisify(argon2)

// Node's default, except on machines on which it would leave cores idle.
process.env.UV_THREADPOOL_SIZE = String(Math.max(4, availableParallelism()))

const began = performance.now()
const until = began + Number(seconds) * 1000
const times: number[] = []
await Promise.all(Array.from({ length: availableParallelism() }, compute))
times.sort((a, b) => a - b)
const p99 = times[Math.ceil(times.length * 0.99) - 1]
process.stdout.write(JSON.stringify({ rate: times.length / Number(seconds), p99 }))

async function compute() {
  while (performance.now() < until) {
    const since = performance.now()
    await derive('argon2id', { message: 'Analytical-1', nonce, ...cost })
    if (performance.now() <= until) times.push(performance.now() - since)
  }
}
