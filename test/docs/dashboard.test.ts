import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { someone, tryLogIn } from '../support/accounts.ts'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { type Family, METRICS_TOKEN, scrape } from '../support/monitoring.ts'
import { ENGINES, startService } from '../support/service.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const dashboard = JSON.parse(readFileSync(join(DOCS, 'grafana-dashboard.json'), 'utf8'))
const reference = readFileSync(join(DOCS, 'pages/reference/metrics.md'), 'utf8')

interface Target {
  expr: string
  legendFormat: string
}
const targets: Target[] = dashboard.panels.flatMap((panel: { targets?: Target[] }) => panel.targets ?? [])
const METRIC = /\b(?:portico|process|nodejs)_[a-z_]+/g
// Prometheus adds it to every series.
const ADDED_LABELS = ['instance']

describe('the dashboard', () => {
  /** The families of a service on SQLite and of one on PostgreSQL. */
  const families = new Map<string, Family>()
  const suite = suiteCleanUp()

  before(async () => {
    for (const engine of ENGINES) {
      const service = await startService(engine, { METRICS_TOKEN })
      cleanUp(suite, () => service.close())
      await tryLogIn(service, 'nobody@example.com', 'Wrong-Horse-7')
      await get(service, '/api/user-details', { as: await someone(service) })
      for (const [name, family] of await scrape(service)) {
        families.set(name, { ...family, series: [...(families.get(name)?.series ?? []), ...family.series] })
      }
    }
  })

  /** The labels of the series of a metric, or undefined if a scrape has no such metric. */
  function labelsOf(metric: string): string[] | undefined {
    const series = [...families.values()].flatMap(({ series }) => series.filter(({ name }) => name === metric))
    return series.length > 0 ? [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))] : undefined
  }

  it('asks only for metrics and labels that a scrape has', () => {
    assert.ok(targets.length > 25)
    for (const { expr, legendFormat } of targets) {
      const selectors = [...expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)]
      assert.equal(selectors.length, expr.match(METRIC)?.length, `a metric of ${expr} has no selector`)
      const known = selectors.flatMap(([, metric = '', matchers = '']) => {
        const labels = [...(labelsOf(metric) ?? assert.fail(`no scrape has ${metric}`)), ...ADDED_LABELS]
        for (const [, label = ''] of matchers.matchAll(/([a-z_]+)=/g)) assert.ok(labels.includes(label), expr)
        return labels
      })
      const grouped = [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(', '))
      for (const label of grouped) assert.ok(known.includes(label), `${label} in ${expr}`)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok([...grouped, ...ADDED_LABELS].includes(label), `${legendFormat} of ${expr}`)
    }
  })

  it('has every metric of a scrape in a panel', () => {
    const shown = new Set(targets.flatMap(({ expr }) => expr.match(METRIC) ?? []))
    const suffixes = ['', '_bucket', '_sum', '_count']
    const missing = [...families.keys()].filter((name) => !suffixes.some((suffix) => shown.has(name + suffix)))
    assert.deepEqual(missing, [])
  })

  it('takes its data source and its instances from variables', () => {
    const variables = dashboard.templating.list.map(({ name }: { name: string }) => name)
    assert.deepEqual(variables, ['datasource', 'instance'])
    const used = [...JSON.stringify(dashboard).matchAll(/"uid":"([^"]*)"/g)].map(([, uid]) => uid)
    assert.deepEqual([...new Set(used)].sort(), [`\${datasource}`, 'portico'])
  })

  it('has panels of different ids that do not overlap', () => {
    interface Place {
      id: number
      gridPos: { x: number; y: number; w: number; h: number }
    }
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }: Place) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    )
    assert.equal(new Set(cells).size, cells.length)
    const ids = dashboard.panels.map(({ id }: Place) => id)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('shows what the documentation lists, with types and labels', () => {
    const rows = [...reference.matchAll(/^\| `((?:portico|process|nodejs)_\w+)` \| (\w+) \| ([^|]*)\| \S/gm)]
    const documented = rows.map(([, name, type, labels = '']) =>
      [name, type, ...(labels.match(/\w+/g) ?? [])].join(' '),
    )
    const scraped = [...families].map(([name, { type, series }]) => {
      const labels = new Set(series.flatMap(({ labels: { le: _, ...rest } }) => Object.keys(rest)))
      return [name, type, ...labels].join(' ')
    })
    assert.deepEqual(documented.sort(), scraped.sort())
  })
})
