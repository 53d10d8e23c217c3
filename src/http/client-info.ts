import { UAParser } from 'ua-parser-js'
import { boundedMemo } from '../lib/bounded-memo.ts'
import { displayedAddress, header } from './client-address.ts'
import { knownBrowser, knownSystem } from './program-names.ts'
import type { Request } from './request.ts'

// Browsers send fewer than 300 characters. ua-parser-js matches the text with about a hundred regular expressions.
const MAX_USER_AGENT_CHARACTERS = 500

/** The client of a request. Only `clientIp` is reliable: the client chooses the headers that the rest is read from. */
export interface ClientInfo {
  browser: string
  os: string
  device: string
  /** For the session list: the header X-Forwarded-For, else X-Real-IP, else `unknown`. */
  ipAddress: string
  /** The IP address that the rate limits use. Security events and mails show it. */
  clientIp: string
  /** Names without versions, to recognise a device after an update of its browser. */
  family: { browser: string; os: string }
  /** Browser and system for a mail. The names are from a fixed list, so no text of the client gets into a mail. */
  program: string
}

export type ReadClientInfo = (request: Request) => ClientInfo

export function createReadClientInfo(ipOf: (request: Request) => string): ReadClientInfo {
  return (request) => ({
    ...programOf(header(request, 'user-agent')?.slice(0, MAX_USER_AGENT_CHARACTERS)),
    ipAddress: displayedAddress(request),
    clientIp: ipOf(request) || 'unknown',
  })
}

const programOf = boundedMemo((userAgent): Omit<ClientInfo, 'ipAddress' | 'clientIp'> => {
  const { browser, os, device } = UAParser(userAgent)
  const program = browser.name ? browser : productOf(userAgent)
  const knownNames = [knownBrowser(program.name, program.version), knownSystem(os.name, os.version)]
  return {
    browser: displayName(program.name, program.version),
    os: displayName(os.name, os.version),
    device: (modelOf(device.model) || device.type || 'Desktop').slice(0, 120),
    family: { browser: displayName(program.name), os: displayName(os.name) },
    program: knownNames.filter(Boolean).join(' on ') || 'Unknown program',
  }
})

/** Chrome on Android sends the model "K" for every device (User-Agent reduction). */
function modelOf(model: string | undefined): string | undefined {
  return model === 'K' ? undefined : model
}

/** The first product of the User-Agent header (RFC 9110, section 10.1.5), such as "curl/8.5.0". */
function productOf(userAgent: string): { name: string | undefined; version: string | undefined } {
  const [, name, version] = /^([\w.-]{1,40})\/([\w.-]{1,40})/.exec(userAgent) ?? []
  return { name, version }
}

function displayName(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(' ').slice(0, 120) || 'Unknown'
}
