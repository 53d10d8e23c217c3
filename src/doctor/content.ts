import { counted } from '../lib/counted.ts'
import { checkContent } from '../publishing/check-content.ts'
import { type Check, fault, ok, warning } from './finding.ts'

const MAX_LISTED = 10

/** The faults that the service logs about the content folder. */
export const checkContentFolder: Check = async ({ config: { contentDir, baseUrl } }) => {
  const { exists, posts, pages, faults } = await checkContent(contentDir, baseUrl)
  if (!exists) {
    return [warning(`there is no content folder ${contentDir}`, 'Create it, or set CONTENT_DIR to the right one.')]
  }
  if (faults.length === 0) return [ok(`${counted(posts, 'post')} and ${counted(pages, 'page')} without a fault`)]
  const listed = faults
    .slice(0, MAX_LISTED)
    .map(({ message }) => fault(message, `Correct the file in ${contentDir}, then send SIGHUP to the service.`))
  const others = faults.length - listed.length
  return others > 0 ? [...listed, fault(`${others} more faults`, '"portico content check" lists all of them.')] : listed
}
