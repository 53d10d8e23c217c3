import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { clientIp, rateLimitAddress } from '../../src/http/client-address.ts'
import type { Request } from '../../src/http/request.ts'

const PROXY = '10.0.0.1'
const CLIENT = '203.0.113.7'

/** The address that a request with this peer and header counts against. */
function addressOf(trusted: string[], remoteAddress: string | undefined, forwarded?: string | string[]): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const request = { raw: { socket: { remoteAddress } }, headers } as unknown as Request
  return rateLimitAddress(clientIp(trusted)(request))
}

const throughProxy = (forwarded: string) => addressOf([PROXY], PROXY, forwarded)

describe('the address that a rate limit counts against', () => {
  it('is the peer whatever the header contains, when the peer is no trusted proxy', () => {
    assert.equal(addressOf([], CLIENT), CLIENT)
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom<string[][]>([], [PROXY], ['10.0.0.0/8', '::1']),
        (forwarded, trusted) => {
          assert.equal(addressOf(trusted, CLIENT, forwarded), CLIENT)
        },
      ),
    )
  })

  it('is the last hop that no trusted proxy added', () => {
    assert.equal(throughProxy(CLIENT), CLIENT)
    assert.equal(throughProxy(`1.2.3.4, ${CLIENT}`), CLIENT)
    assert.equal(throughProxy(`1.2.3.4,${CLIENT}, ${PROXY}`), CLIENT)
    assert.equal(addressOf(['10.0.0.0/8', 'fd00::/8'], PROXY, `1.2.3.4, ${CLIENT}, fd00::2, 10.9.9.9`), CLIENT)
    assert.equal(addressOf([PROXY], PROXY, ['1.2.3.4', CLIENT]), CLIENT)
  })

  it('cannot be changed by addresses that a client puts before the hop that the proxy added', () => {
    fc.assert(
      fc.property(fc.string(), (madeUp) => {
        assert.equal(throughProxy(`${madeUp}, ${CLIENT}`), CLIENT)
      }),
    )
  })

  it('is the proxy itself when its header has no address', () => {
    assert.equal(addressOf([PROXY], PROXY), PROXY)
    for (const forwarded of ['', ' ', ',', 'unknown', '_hidden', '999.1.1.1', '1.2', '....', '1.2.3.4.5', 'a::b::c']) {
      assert.equal(throughProxy(forwarded), PROXY, forwarded)
    }
  })

  it('is the outermost trusted proxy when there are only trusted ones', () => {
    assert.equal(addressOf(['10.0.0.0/8'], PROXY, '10.0.0.3, 10.0.0.2'), '10.0.0.3')
  })

  it('is the same for every spelling of an IPv4 address inside IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        for (const mapped of [`::ffff:${address}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`, `[::ffff:${address}]`]) {
          assert.equal(addressOf([PROXY], PROXY, mapped), addressOf([PROXY], PROXY, address))
          assert.equal(addressOf([], mapped.replace(/[[\]]/g, '')), address)
        }
      }),
    )
  })

  it('recognizes a trusted IPv4 proxy also when the socket reports it inside IPv6', () => {
    assert.equal(addressOf([PROXY], `::ffff:${PROXY}`, CLIENT), CLIENT)
  })

  it('is one for a whole /64 of IPv6, in every spelling', () => {
    const variants = [
      '2001:db8:0:1::1',
      '2001:DB8::1:0:0:0:1',
      '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
      '[2001:db8:0:1::9]',
      '2001:db8:0:1::1%eth0',
      '2001:db8:0:1::192.0.2.1',
    ]
    assert.deepEqual(new Set(variants.map(throughProxy)), new Set(['2001:db8:0:1::/64']))
    assert.notEqual(throughProxy('2001:db8:0:2::1'), throughProxy('2001:db8:0:1::1'))
  })

  it('is one for any two addresses that share their first 64 bits, and not for two that do not', () => {
    const group = fc.nat(0xffff)
    const half = fc.tuple(group, group, group, group)
    const write = (...halves: number[][]) =>
      halves
        .flat()
        .map((part) => part.toString(16))
        .join(':')
    fc.assert(
      fc.property(half, half, half, half, (network, other, host, neighbour) => {
        fc.pre(network.some((part) => part !== 0))
        const own = throughProxy(write(network, host))
        assert.equal(throughProxy(write(network, neighbour).toUpperCase()), own)
        if (write(network) !== write(other)) assert.notEqual(throughProxy(write(other, host)), own)
      }),
    )
  })

  it('leaves out the port that some proxies add', () => {
    assert.equal(throughProxy(`${CLIENT}:51234`), CLIENT)
    assert.equal(throughProxy('[2001:db8:0:1::1]:51234'), '2001:db8:0:1::/64')
  })

  it('is found for every header and peer without an exception', () => {
    const everyone = ['0.0.0.0/0', '::/0']
    const piece = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('999.9.9.9', '1.2.3', ':::', '[', '%'))
    fc.assert(
      fc.property(fc.array(piece), fc.option(fc.oneof(fc.ipV4(), fc.ipV6()), { nil: undefined }), (hops, peer) => {
        for (const trusted of [[], [PROXY], everyone]) {
          assert.equal(typeof addressOf(trusted, peer, hops.join(', ')), 'string')
        }
      }),
    )
  })
})
