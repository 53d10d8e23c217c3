import { UAParser } from 'ua-parser-js'
import { displayedAddress, header } from '../http/client.ts'
import type { Request } from '../http/request.ts'
import { boundedMemo } from '../lib/bounded-memo.ts'
import { knownBrowser, knownSystem } from './program-names.ts'

// Browsers send fewer than 300. The parser tries a hundred regular expressions on the text.
const MAX_USER_AGENT_CHARACTERS = 500

/** Where a request comes from. All but the IP address is what the request says of itself. */
export interface Origin {
  browser: string
  os: string
  device: string
  /** As the session list has it: the forwarded-for header, else the real-ip header, else `unknown`. */
  ipAddress: string
  /** The IP address the request came from, as the rate limits see it. Security events and mails use this one. */
  clientIp: string
  /** Without versions: an update of the browser is not a new device. */
  family: { browser: string; os: string }
  /** The program in words for a mail. It has names from a fixed list only: nobody else's words get into a mail. */
  program: string
}

export type ReadClientInfo = (request: Request) => Origin

export function createReadClientInfo(ipOf: (request: Request) => string): ReadClientInfo {
  return (request) => ({
    ...programOf(header(request, 'user-agent')?.slice(0, MAX_USER_AGENT_CHARACTERS)),
    ipAddress: displayedAddress(request),
    clientIp: ipOf(request) || 'unknown',
  })
}

const programOf = boundedMemo((userAgent): Omit<Origin, 'ipAddress' | 'clientIp'> => {
  const { browser, os, device } = UAParser(userAgent)
  const program = browser.name ? browser : productOf(userAgent)
  const known = [knownBrowser(program.name, program.version), knownSystem(os.name, os.version)]
  return {
    browser: words(program.name, program.version),
    os: words(os.name, os.version),
    device: (modelOf(device.model) || device.type || 'Desktop').slice(0, 120),
    family: { browser: words(program.name), os: words(os.name) },
    program: known.filter(Boolean).join(' on ') || 'an unknown program',
  }
})

/** Chrome on Android says "K" for every phone, to tell nothing. */
function modelOf(model: string | undefined): string | undefined {
  return model === 'K' ? undefined : model
}

/** Programs that are no browsers still name themselves first: "curl/8.5.0" is curl 8.5.0. */
function productOf(userAgent: string): { name: string | undefined; version: string | undefined } {
  const [, name, version] = /^([\w.-]{1,40})\/([\w.-]{1,40})/.exec(userAgent) ?? []
  return { name, version }
}

function words(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(' ').slice(0, 120) || 'Unknown'
}
