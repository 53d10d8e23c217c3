// The least that Node can do: the same bytes for every request. How many, and of which type, comes from the environment.
import { createServer } from 'node:http'

const body = Buffer.alloc(Number(process.env.BYTES), 'x')
const headers = { 'content-type': process.env.TYPE ?? 'text/plain', 'content-length': body.length }

createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
