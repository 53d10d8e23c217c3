import { checkContent } from '../content/check-content.ts'
import type { ContentFault } from '../content/fault.ts'
import { counted } from '../lib/counted.ts'
import { type Check, fault, type Observation, ok, warning } from './finding.ts'

const MAX_LISTED = 10

/** The faults that the service logs about the content folder, and the warnings of `portico content check`. */
export const checkContentFolder: Check = async ({ config: { contentDir, baseUrl, mode } }) => {
  const { exists, posts, pages, faults, warnings } = await checkContent(contentDir, baseUrl)
  if (!exists) {
    return [warning(`there is no content folder ${contentDir}`, 'Create it, or set CONTENT_DIR to the right one.')]
  }
  const isFine = faults.length === 0 && warnings.length === 0
  if (isFine) return [ok(`${counted(posts, 'post')} and ${counted(pages, 'page')} without a fault`)]
  // In development the service watches the folder, and SIGHUP would end it.
  const then = mode === 'production' ? ', then send SIGHUP to the service' : ' and reload the page'
  return [
    ...listed(faults, 'fault', fault, `Correct the file in ${contentDir}${then}.`),
    ...listed(warnings, 'warning', warning, 'Change it if it is not meant: the site works with it.'),
  ]
}

function listed(found: ContentFault[], name: string, observe: typeof fault, remedy: string): Observation[] {
  const others = found.length - MAX_LISTED
  return [
    ...found.slice(0, MAX_LISTED).map(({ message }) => observe(message, remedy)),
    ...(others > 0 ? [observe(counted(others, `more ${name}`), '"portico content check" lists all of them.')] : []),
  ]
}
