import type { Registration } from '../../../accounts/registration.ts'
import { oneChoice } from '../../account/choices.ts'
import type { FormView } from '../../account/form-view.ts'
import { type Html, html } from '../../html.ts'

const MODES: Record<Registration['mode'], { label: string; hint: string }> = {
  open: { label: 'Open', hint: 'Everybody can sign up, or only the addresses of some domains.' },
  invite: { label: 'By invitation', hint: 'Only invited addresses can sign up.' },
  closed: { label: 'Closed', hint: 'Nobody can sign up, also not with an invitation.' },
}

export const modeWords = (mode: Registration['mode']) => MODES[mode].hint

export function settingsCard({ mode, allowedDomains }: Registration, form: FormView): Html {
  return html`<section class="card" aria-labelledby="settings">
<h2 id="settings">Settings</h2>
${form.form(
  html`${oneChoice(form, { name: 'mode', legend: 'Who may sign up', options: MODES, chosen: [mode] })}
${form.area({
  name: 'allowedDomains',
  label: 'Mail domains',
  value: allowedDomains.join('\n'),
  hint: 'One on each line, such as example.com; empty for all. They limit open registration, but not invitations.',
  isOptional: true,
  attributes: html` autocapitalize="none" spellcheck="false"`,
})}`,
  'Save',
)}
<p class="meta">Existing accounts are not affected.</p>
</section>`
}
