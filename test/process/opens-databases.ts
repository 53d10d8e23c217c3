import { parentPort, workerData } from 'node:worker_threads'
import { DATABASE_TIMEOUT_MS } from '../../src/config/database-settings.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/logging/log.ts'

// A thread that opens one new database after the other, each at the same moment as its sibling threads.
const { files, siblings, arrived } = workerData as { files: string[]; siblings: number; arrived: Int32Array }
const log = createLog({ logFormat: 'json', logLevel: 'silent' })
const faults: string[] = []

for (const [round, file] of files.entries()) {
  Atomics.add(arrived, round, 1)
  while (Atomics.load(arrived, round) < siblings) {
    // Busy waiting: threads that are woken would start one after the other.
  }
  await openDatabase({ engine: 'sqlite', file, timeoutMs: DATABASE_TIMEOUT_MS }, log)
    .then((database) => database.close())
    .catch((error) => faults.push(String(error)))
}
parentPort?.postMessage(faults)
