import { type Html, html } from '../../html.ts'
import type { FormState } from '../form-state.ts'
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
  const twoStep = twoStepPart(parts)
  const groups: Group[] = [
    {
      id: 'ways-in',
      heading: 'How you sign in',
      parts: [passwordPart(parts), passkeysPart(parts), providersPart(parts)],
    },
    {
      id: 'protection',
      heading: 'What protects you',
      parts: [twoStep, recoveryCodesPart(parts), rememberedBrowsersPart()],
    },
    { id: 'sessions', heading: 'Where you are signed in', parts: [sessionsPart()] },
    { id: 'activity', heading: 'What happened', parts: [activityPart()] },
  ]
  const overview = overviewPart(parts)
  const all = groups.flatMap(({ parts }) => parts)
  return {
    path: SECURITY_PATH,
    title: 'Security',
    description:
      'The ways you sign in, what protects your account, the devices that are signed in, and the recent activity.',
    access: 'members',
    calls: all.flatMap(({ calls }) => calls),
    scripts: [...new Set(all.flatMap(({ scripts = [] }) => scripts))],
    async main(visit, formState) {
      // A wrong first code of an app: the message at the top, the QR code and the field are then on one screen.
      if (formState.of('confirm-app').isRefused) return html`${await twoStep.main(visit, formState)}`
      return html`${await overview.main(visit, formState)}
${await Promise.all(groups.map((each) => group(each, visit, formState)))}`
    },
    forms: Object.assign({}, ...all.map(({ forms }) => forms)),
  }
}

interface Group {
  id: string
  heading: string
  parts: SecurityPart[]
}

async function group({ id, heading, parts }: Group, visit: MemberVisit, formState: FormState): Promise<Html> {
  const cards = await Promise.all(parts.map(({ main }) => main(visit, formState)))
  return html`<h2 class="group" id="${id}">${heading}</h2>
${cards}`
}
