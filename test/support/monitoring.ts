import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

export const METRICS_TOKEN = 'a-token-of-the-tests-0123456789'
const WITH_TOKEN = { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }

export interface Family {
  type: string
  series: { name: string; labels: Record<string, string>; value: number }[]
}

/** Scrapes the main port of a service with METRICS_TOKEN. */
export function scrape({ url }: { url: string }): Promise<Map<string, Family>> {
  return scrapeAt(`${url}/metrics`, WITH_TOKEN)
}

export async function scrapeAt(url: string, options?: RequestInit): Promise<Map<string, Family>> {
  const response = await fetch(url, options)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  return parseMetrics(text)
}

/** The value of the series with these labels, or 0. */
export function sampleOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const wanted = JSON.stringify(Object.entries(labels).sort())
  const found = [...families.values()]
    .flatMap(({ series }) => series)
    .find((one) => one.name === name && JSON.stringify(Object.entries(one.labels).sort()) === wanted)
  return found?.value ?? 0
}

/** Every series with its labels, in order. */
export function seriesNames(families: Map<string, Family>): string[] {
  return [...families.values()].flatMap(({ series }) => series.map((one) => name(one))).sort()
}

/**
 * Parses the text format strictly (https://prometheus.io/docs/instrumenting/exposition_formats/): each family has its
 * HELP and TYPE once, before its series; no series occurs twice; names have the endings of their types and units.
 */
function parseMetrics(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'))
  const families = new Map<string, Family>()
  let help = ''
  let current: [string, Family] | undefined
  for (const line of text.split('\n').filter(Boolean)) {
    const [, described] = /^# HELP ([a-z][a-z\d_]*) \S.*$/.exec(line) ?? []
    const [, typed, type] = /^# TYPE ([a-z][a-z\d_]*) (counter|gauge|histogram)$/.exec(line) ?? []
    if (described) help = described
    else if (typed && type) {
      assert.equal(typed, help)
      assert.ok(!families.has(typed), `${typed} occurs twice`)
      assert.equal(typed.endsWith('_total'), type === 'counter', typed)
      current = [typed, { type, series: [] }]
      families.set(...current)
    } else {
      assert.ok(current, line)
      current[1].series.push(parseSeries(line, ...current))
    }
  }
  for (const [family, { type, series }] of families) {
    const names = series.map(name)
    assert.equal(new Set(names).size, names.length, `${family} has a series twice`)
    if (type === 'histogram') assertHistogram(family, series)
  }
  return families
}

function parseSeries(line: string, family: string, { type }: Family): Family['series'][number] {
  const [, name = '', list = '', value = ''] = /^([a-z][a-z\d_]*)(?:\{(.+)\})? (\S+)$/.exec(line) ?? []
  const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  assert.ok(endings.map((ending) => family + ending).includes(name), line)
  assert.match(value, /^(\d+(\.\d+)?(e[+-]\d+)?)$/, line)
  const labels = [...list.matchAll(/([a-z_]+)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/g)]
  assert.equal(labels.map(([whole]) => whole).join(''), list, line)
  const byName = Object.fromEntries(labels.map(([, label = '', text = '']) => [label, text]))
  assert.equal(Object.keys(byName).length, labels.length, line)
  return { name, labels: byName, value: Number(value) }
}

/** Buckets grow, and the last one has all observations. */
function assertHistogram(family: string, series: Family['series']): void {
  const groups = Map.groupBy(series, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const group of groups.values()) {
    const buckets = group.filter(({ name }) => name === `${family}_bucket`)
    const counts = buckets.map(({ value }) => value)
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      counts,
    )
    assert.equal(buckets.at(-1)?.labels.le, '+Inf')
    assert.equal(group.find(({ name }) => name === `${family}_count`)?.value, counts.at(-1))
    assert.ok(group.some(({ name }) => name === `${family}_sum`))
  }
}

function name({ name, labels }: Family['series'][number]): string {
  const list = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return `${name}{${list.sort().join(',')}}`
}

const schema = JSON.parse(readFileSync(new URL('../../docs/log-schema.json', import.meta.url), 'utf8'))
const isLogLine = new Ajv2020({ strict: true, strictRequired: false }).compile(schema)

/** The fields that a line of the log may have. */
export const LOG_FIELDS = Object.keys(schema.properties)

/** Each line follows docs/log-schema.json. */
export function assertLogLines(lines: Record<string, unknown>[]): void {
  for (const line of lines) {
    assert.ok(isLogLine(line), `${JSON.stringify(isLogLine.errors)} in ${JSON.stringify(line)}`)
  }
}
