// The lower bound of Node: the same bytes for every request. The environment sets the body size and the headers.
import { createServer } from 'node:http'

const body = Buffer.alloc(Number(process.env.BYTES), 'x')
const headers = { ...JSON.parse(process.env.HEADERS ?? '{}'), 'content-length': body.length }

createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
