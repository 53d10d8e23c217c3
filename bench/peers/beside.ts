import type { Bench, Work } from '../bench.ts'
import { count, median, milliseconds } from '../measure/figures.ts'
import { inTurns, type Measure } from '../measure/rounds.ts'
import { type Row, timesOf } from '../measure/rows.ts'
import type { Server } from '../measure/server.ts'
import { firstRequest, logIns, pages, reads, refreshes, startOnce } from './measures.ts'
import type { Page, Peer, Subject, WorkName } from './peer.ts'
import { preparePortico } from './portico.ts'

/** One peer beside Portico, one work after the other. A work that fails is INVALID, and the others continue. */
export const beside = (peer: Peer): Work =>
  async function* (bench) {
    bench.progress.step(`getting ${peer.name}`)
    let name = peer.name
    try {
      name += ` ${await peer.obtain()}`
    } catch (error) {
      yield rowOf(peer, 'all works', { against: `${name} cannot be had here: ${reasonOf(error)}` })
      return
    }
    bench.progress.step(`preparing ${name}`)
    const portico = await preparePortico(bench, peer.engine)
    const rival = await peer.prepare(bench, portico.page)
    yield* underLoad(bench, peer, name, portico, rival)
    yield* starting(bench, peer, name, portico, rival)
  }

type Portico = Awaited<ReturnType<typeof preparePortico>>

async function* underLoad(bench: Bench, peer: Peer, name: string, portico: Portico, rival: Subject) {
  await using ourServer = await portico.start()
  await using theirServer = await rival.start()
  for (const work of ['authenticated read', 'refresh', 'log-in', 'page'] as const) {
    bench.progress.step(`${work}: ${name}`)
    yield* guarded(bench, peer, work, async () => {
      const theirs = await measureOf(work, theirServer, rival, portico.page)
      if (!theirs) return peer.differs[work] ? rowOf(peer, work, { against: `${name} does not have it` }) : []
      const ours = (await measureOf(work, ourServer, portico, portico.page)) as Measure
      const warmUp = bench.warmUp && Math.max(bench.warmUp, peer.warmUpSeconds ?? 0)
      const figures = await inTurns({ ...bench, warmUp }, { Portico: ours, [name]: theirs })
      const hashes = work === 'log-in' ? [portico.accounts?.hash, rival.accounts?.hash] : []
      const [ourHash, theirHash] = hashes.map((hash) => ` · ${hash}`)
      const contest = { work, ours: figures.Portico ?? [], theirs: figures[name] ?? [], against: name }
      const row = timesOf(contest)
      return rowOf(peer, work, {
        portico: row.portico + (ourHash ?? ''),
        against: row.against + (theirHash ?? ''),
        result: `${row.result} as many`,
      })
    })
  }
}

/** Undefined where the server does not support this work. */
async function measureOf(work: WorkName, server: Server, { accounts, page }: Subject, expected: Page) {
  if (work === 'page') return page && pages(server, page, expected)
  if (!accounts) return undefined
  const measures = { 'authenticated read': reads, refresh: refreshes, 'log-in': logIns }
  return measures[work as keyof typeof measures](server, accounts)
}

async function* starting(bench: Bench, peer: Peer, name: string, portico: Subject, rival: Subject) {
  bench.progress.step(`first response and idle memory: ${name}`)
  yield* guarded(bench, peer, 'first response', async () => {
    const subjects = [portico, rival] as const
    const requests = [await firstRequest(portico), await firstRequest(rival)] as const
    const firsts: [number[], number[]] = [[], []]
    const memories: [number[], number[]] = [[], []]
    for (let round = 0; round < bench.rounds; round++) {
      for (const side of [0, 1] as const) {
        bench.progress.now(`start ${round + 1} of ${bench.rounds}: ${side === 0 ? 'Portico' : name}`)
        const { first, memory } = await startOnce(subjects[side], requests[side])
        firsts[side].push(first)
        memories[side].push(memory)
      }
    }
    const [ourFirst, theirFirst, ourMemory, theirMemory] = [...firsts, ...memories].map(median) as Four
    return [
      rowOf(peer, 'first response', {
        portico: milliseconds(ourFirst),
        against: `${name}: ${milliseconds(theirFirst)}`,
        result: `${times(ourFirst, theirFirst)} the time`,
      }),
      rowOf(peer, 'idle memory', {
        portico: `${count(ourMemory)} MiB`,
        against: `${name}: ${count(theirMemory)} MiB`,
        result: `${times(ourMemory, theirMemory)} the memory`,
      }),
    ]
  })
}

type Four = [number, number, number, number]

function times(ours: number, theirs: number): string {
  const ratio = ours / theirs
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`
}

async function* guarded(bench: Bench, peer: Peer, work: WorkName, measure: () => Promise<Row | Row[]>) {
  try {
    yield* [await measure()].flat()
  } catch (error) {
    const reason = reasonOf(error)
    bench.progress.found(`INVALID: ${reason}`)
    yield rowOf(peer, work, { against: `${peer.name}: ${reason}`, result: 'INVALID', verdict: 'INVALID' })
  }
}

function rowOf(peer: Peer, work: WorkName | 'all works', row: Partial<Row>): Row {
  const differs = work === 'all works' ? '' : (peer.differs[work] ?? '')
  return {
    work: `${work}, ${peer.engine}`,
    portico: '',
    against: '',
    result: '',
    bar: '',
    verdict: '–',
    differs,
    ...row,
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/[\s|]+/g, ' ').slice(0, 200)
}
