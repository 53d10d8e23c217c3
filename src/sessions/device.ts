import { UAParser } from 'ua-parser-js'
import { displayedAddress, header } from '../http/client.ts'
import { remembered } from '../http/remembered.ts'
import type { Request } from '../http/request.ts'

/** Where a request comes from, as its owner would recognise it. */
export interface Origin {
  browser: string
  os: string
  device: string
  ipAddress: string
  /** Without versions: an update of the browser is not a new device. */
  family: { browser: string; os: string }
}

export function originOf(request: Request): Origin {
  return { ...programOf(header(request, 'user-agent')), ipAddress: displayedAddress(request) }
}

const programOf = remembered((userAgent): Omit<Origin, 'ipAddress'> => {
  const { browser, os, device } = UAParser(userAgent)
  const program = browser.name ? browser : productOf(userAgent)
  return {
    browser: words(program.name, program.version),
    os: words(os.name, os.version),
    device: (modelOf(device.model) || device.type || 'Desktop').slice(0, 120),
    family: { browser: words(program.name), os: words(os.name) },
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
