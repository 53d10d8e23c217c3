// An import of `node:http` reads every export of that module, and reading the export `WebSocket` loads undici: 15 MiB of
// memory and 50 ms of the start. `process.getBuiltinModule` returns the module without reading its exports.
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
