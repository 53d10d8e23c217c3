// An import of `node:http` reads every export of that module, and reading the export `WebSocket` loads undici: 15 MiB of
// memory and 50 ms of the start. `process.getBuiltinModule` returns the module without reading its exports.
export const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')
