import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { parse } from 'acorn'
import { check } from 'recheck'

// Checks every regular expression in src/ and fails when one can take more than linear time. `recheck` analyses the
// automaton or searches for a slow input (https://makenowjust-labs.github.io/recheck/).

const ROOT = join(import.meta.dirname, '..')
// Limits on steps instead of time, so that the result does not depend on the load of the machine.
const PARAMETERS = { timeout: 120_000, attackTimeout: null, incubationTimeout: null }

interface Expression {
  place: string
  source: string
  flags: string
}

interface Node {
  type: string
  start: number
  [name: string]: unknown
}

/** Every node of a syntax tree. */
function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item)
  if (typeof value !== 'object' || value === null || !('type' in value)) return
  yield value as Node
  for (const child of Object.values(value)) yield* nodesOf(child)
}

const files = globSync('src/**/*.{ts,js}', { cwd: ROOT }).map((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  // Types are replaced by spaces, so that line numbers stay the same.
  const code = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  const nodes = [...nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))]
  const placeOf = ({ start }: Node) => `${relative(ROOT, join(ROOT, file))}:${code.slice(0, start).split('\n').length}`
  return { nodes, placeOf }
})

/** The initializers of all variables in src/ by name, to resolve patterns of schemas that are declared as constants. */
const constants = new Map(
  files.flatMap(({ nodes }) =>
    nodes.flatMap(({ type, id, init }) =>
      type === 'VariableDeclarator' && init ? [[(id as Node).name as string, init as Node] as const] : [],
    ),
  ),
)

/** The string value of a literal, of a constant, or of a template of these. Undefined for any other node. */
function textOf({ type, value, name, quasis, expressions }: Node): string | undefined {
  if (typeof value === 'string') return value
  if (type === 'Identifier') {
    const constant = constants.get(name as string)
    return constant && textOf(constant)
  }
  if (type !== 'TemplateLiteral') return undefined
  const parts = (expressions as Node[]).map(textOf)
  if (parts.includes(undefined)) return undefined
  const texts = (quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked)
  return texts.map((text, index) => text + (parts[index] ?? '')).join('')
}

/**
 * Regular expression literals, arguments of `new RegExp`, and each `pattern` of a schema, which ajv compiles with the
 * flag u.
 */
function expressionsOf({ nodes, placeOf }: (typeof files)[number]): Expression[] {
  return nodes.flatMap((node) => {
    const { type, regex, callee, key } = node
    const place = placeOf(node)
    if (regex) {
      const { pattern: source, flags } = regex as { pattern: string; flags: string }
      return [{ place, source, flags }]
    }
    const isConstructed = type === 'NewExpression' && (callee as Node).name === 'RegExp'
    const isPattern = type === 'Property' && (key as Node).name === 'pattern' && !node.shorthand
    if (!isConstructed && !isPattern) return []
    const source = textOf((isConstructed ? (node.arguments as Node[])[0] : node.value) as Node)
    if (source === undefined) throw new Error(`${place}: the text of this pattern must be a constant`)
    return [{ place, source, flags: 'u' }]
  })
}

const unique = new Map<string, Expression>()
for (const expression of files.flatMap(expressionsOf)) {
  const name = `/${expression.source}/${expression.flags}`
  if (!unique.has(name)) unique.set(name, expression)
}

const results = await Promise.all(
  [...unique].map(async ([name, { place, source, flags }]) => {
    const result = await check(source, flags, PARAMETERS)
    if (result.status === 'safe') return []
    const reason = result.status === 'vulnerable' ? result.complexity.summary : result.error.kind
    return [`${place}: ${name}: ${reason}`]
  }),
)
const faults = results.flat()
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(`Checked ${unique.size} regular expressions, ${faults.length} of them not linear\n`)
process.exit(faults.length > 0 ? 1 : 0)
