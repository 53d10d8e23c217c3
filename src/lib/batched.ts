interface Batch<Value> {
  keys: Set<string>
  values: Promise<Map<string, Value>>
}

/**
 * Returns a function that loads the value of a key. One call of `load` gets the keys of an iteration of the event loop,
 * but at most `maxKeys`. A load starts after every call that gets a value of it, so no value is older than its call.
 * An error of a load rejects all calls that wait for it.
 */
export function batched<Value>(
  load: (keys: string[]) => Promise<Map<string, Value>>,
  maxKeys: number,
): (key: string) => Promise<Value | undefined> {
  let open: Batch<Value> | undefined

  return async (key) => {
    if (!open || open.keys.size === maxKeys) open = startBatch()
    const batch = open
    batch.keys.add(key)
    return (await batch.values).get(key)
  }

  function startBatch(): Batch<Value> {
    const keys = new Set<string>()
    // The event loop reads all sockets that have data before it calls this (https://nodejs.org/learn, "The Node.js
    // Event Loop").
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open === batch) open = undefined
      return load([...keys])
    })
    const batch = { keys, values }
    return batch
  }
}
