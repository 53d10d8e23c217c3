// `npm run fuzz`: random requests, made from the service's own API descriptions and from a corpus of hostile values,
// until one of them gets a wrong response. That request is shrunk to the smallest that still fails, and printed as a
// shell command.
import { parseArgs } from 'node:util'
import { supervise } from '../support/child.ts'
import { globalSetup, globalTeardown } from '../support/global-setup.ts'
import { ENGINES, type EngineName } from '../support/service.ts'
import { describeRun, print } from './report.ts'
import { fuzz } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    engine: { type: 'string', multiple: true, default: ENGINES },
    help: { type: 'boolean', default: false },
  },
})
const requests = Number(values.requests)
const seed = Number(values.seed)
const isUsable = Number.isInteger(requests) && requests > 0 && Number.isInteger(seed)
if (values.help || !isUsable || !values.engine.every((name) => ENGINES.includes(name as EngineName))) {
  print('npm run fuzz -- [--requests 100000] [--seed 7] [--engine sqlite|postgres]')
  process.exit(values.help ? 0 : 1)
}

// Longer than any run.
supervise({ limitMs: 12 * 3_600_000 })
await globalSetup()
let sound = true
try {
  for (const engine of values.engine as EngineName[]) {
    print(`\n${engine}: ${requests.toLocaleString('en')} requests, seed ${seed}`)
    const run = await fuzz(engine, requests, seed)
    print(describeRun(run))
    if (run.faults.length > 0) {
      sound = false
      print(`\nThe same again: npm run fuzz -- --requests ${requests} --seed ${seed} --engine ${engine}`)
    }
  }
} finally {
  await globalTeardown()
}
process.exit(sound ? 0 : 1)
