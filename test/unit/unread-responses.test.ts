import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import type { HttpResponse } from '../../src/http/http-response.ts'
import { UnreadResponses } from '../../src/http/unread-responses.ts'

/** Responses with a limit of 10 bytes. `closed` lists those whose connection was closed, in their order. */
function unreadResponses() {
  const closed: string[] = []
  const warnings: number[] = []
  const unread = new UnreadResponses({ maxBytes: 10, warn: (connections) => warnings.push(connections) })

  function send(name: string, address: string, content: Buffer | string): EventEmitter {
    const response = new EventEmitter()
    const destroy = () => {
      closed.push(name)
      response.emit('close')
    }
    unread.add(Object.assign(response, { destroy }) as unknown as HttpResponse, address, content, content.length)
    return response
  }

  return { closed, warnings, send }
}

describe('the responses that clients do not read', () => {
  it('close the oldest connections of the address with the most bytes', () => {
    const { closed, send } = unreadResponses()
    send('other', 'b', 'x'.repeat(4))
    send('first', 'a', 'xxx')
    send('second', 'a', 'xxx')
    assert.deepEqual(closed, [])
    send('third', 'a', 'xxx')
    assert.deepEqual(closed, ['first'])
    send('fourth', 'a', 'x'.repeat(6))
    assert.deepEqual(closed, ['first', 'second', 'third'])
    send('new', 'c', 'x')
    assert.deepEqual(closed, ['first', 'second', 'third', 'fourth'])
  })

  it('close the connection of a response that is too large alone', () => {
    const { closed, send } = unreadResponses()
    send('large', 'a', 'x'.repeat(11))
    assert.deepEqual(closed, ['large'])
  })

  it('are not counted after they are read, or their connection is closed', () => {
    const { closed, send } = unreadResponses()
    for (let number = 0; number < 5; number++) send(`${number}`, 'a', 'x'.repeat(9)).emit('close')
    send('last', 'a', 'x'.repeat(10))
    assert.deepEqual(closed, [])
  })

  it('are counted once if they share their content, until the last of them is read', () => {
    const { closed, send } = unreadResponses()
    const page = Buffer.alloc(8)
    const readers = ['a', 'b', 'c'].map((address) => send(address, address, page))
    assert.deepEqual(closed, [])
    readers[0]?.emit('close')
    readers[1]?.emit('close')
    send('new', 'd', 'xxx')
    assert.deepEqual(closed, ['c'])
    send('newer', 'd', 'x'.repeat(7))
    assert.deepEqual(closed, ['c'])
  })

  it('are counted for the next reader of a shared content when the first has read it', () => {
    const { closed, send } = unreadResponses()
    const page = Buffer.alloc(4)
    const first = send('first', 'a', page)
    send('next', 'b', page)
    send('own', 'b', 'xxx')
    first.emit('close')
    send('other', 'c', 'x'.repeat(4))
    assert.deepEqual(closed, ['own'])
  })

  it('cause one warning in a minute, with the number of connections since the last one', (t) => {
    t.mock.method(performance, 'now', () => milliseconds)
    let milliseconds = 1000
    const { warnings, send } = unreadResponses()
    for (let number = 0; number < 5; number++) send(`${number}`, 'a', 'x'.repeat(9))
    assert.deepEqual(warnings, [1])
    milliseconds += 60_000
    send('last', 'a', 'x'.repeat(9))
    assert.deepEqual(warnings, [1, 4])
  })
})
