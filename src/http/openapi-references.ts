type Value = Record<string, unknown>

/**
 * Replaces every reference of an OpenAPI document by the component that it names. Keywords beside a reference are
 * merged with those of the component. The documents of the service have no circular references.
 */
export function dereference<Document>(document: Document): Document {
  const components = new Map<string, Value>()
  return resolve(document) as Document

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (!isObject(value)) return value
    const { $ref, ...others } = value
    const resolved = Object.fromEntries(Object.entries(others).map(([name, part]) => [name, resolve(part)]))
    return typeof $ref === 'string' ? merge(componentAt($ref), resolved) : resolved
  }

  function componentAt(reference: string): Value {
    const known = components.get(reference)
    if (known) return known
    const path = reference.split('/').slice(1)
    const component = resolve(path.reduce<unknown>((value, name) => (value as Value)[name], document)) as Value
    components.set(reference, component)
    return component
  }
}

function merge(value: Value, other: Value): Value {
  const merged = { ...value }
  for (const [name, part] of Object.entries(other)) {
    const known = merged[name]
    merged[name] = isObject(known) && isObject(part) ? merge(known, part) : part
  }
  return merged
}

function isObject(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
