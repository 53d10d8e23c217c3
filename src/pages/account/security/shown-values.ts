import { moment } from '../../dates.ts'
import type { Html } from '../../html.ts'

/** The browser with the first number of its version, and the system. */
export function programOf({ browser, os }: { browser: string; os: string }): string {
  const [name] = browser.split('.')
  if (os === 'Unknown' || os === '') return browser === 'Unknown' ? 'Unknown program' : `${name}`
  return `${name} on ${os}`
}

export function timeOf(iso: string): Html {
  return moment(new Date(iso))
}
