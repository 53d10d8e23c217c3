// An import of `node:http` reads every export of that module, and reading the export `WebSocket` loads undici: 15 MiB
// of memory and 50 ms of the start. `process.getBuiltinModule` returns the module without reading its exports. The
// benchmark has limits for the start and for the memory when idle (`bench/results.md`).
export const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')

/** The function that sends requests of a protocol. Its module is loaded by the first call. */
export function requestOf(protocol: string) {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http').request
}
