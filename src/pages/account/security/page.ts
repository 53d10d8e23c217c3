import { type Html, html } from '../../html.ts'
import type { Entry } from '../entry.ts'
import type { MemberPage, MemberVisit } from '../page.ts'
import type { AccountPageParts } from '../parts.ts'
import { activityPart } from './activity.ts'
import { overviewPart } from './overview.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'
import { passkeysPart } from './passkeys.ts'
import { passwordPart } from './password.ts'
import { providersPart } from './providers.ts'
import { recoveryCodesPart } from './recovery-codes.ts'
import { rememberedBrowsersPart } from './remembered-browsers.ts'
import { sessionsPart } from './sessions.ts'
import { twoStepPart } from './two-step-sign-in.ts'

export function securityPage(parts: AccountPageParts): MemberPage {
  const groups: [heading: string, parts: SecurityPart[]][] = [
    ['How you sign in', [passwordPart(parts), passkeysPart(parts), providersPart(parts)]],
    ['What protects you', [twoStepPart(parts), recoveryCodesPart(parts), rememberedBrowsersPart()]],
    ['Where you are signed in', [sessionsPart()]],
    ['What happened', [activityPart()]],
  ]
  const overview = overviewPart(parts)
  const all = groups.flatMap(([, parts]) => parts)
  return {
    path: SECURITY_PATH,
    title: 'Security',
    description:
      'The ways you sign in, what protects your account, the devices that are signed in, and the recent activity.',
    access: 'members',
    calls: all.flatMap(({ calls }) => calls),
    scripts: [...new Set(all.flatMap(({ scripts = [] }) => scripts))],
    async main(visit, entry) {
      return html`${await overview.main(visit, entry)}
${await Promise.all(groups.map(([heading, parts]) => group(heading, parts, visit, entry)))}`
    },
    forms: Object.assign({}, ...all.map(({ forms }) => forms)),
  }
}

async function group(heading: string, parts: SecurityPart[], visit: MemberVisit, entry: Entry): Promise<Html> {
  const cards = await Promise.all(parts.map(({ main }) => main(visit, entry)))
  return html`<h2 class="group">${heading}</h2>
${cards}`
}
