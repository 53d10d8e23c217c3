import { html } from '../html.ts'
import type { MemberPage } from './page.ts'

export function appearancePage(): MemberPage {
  return {
    path: '/account/appearance',
    title: 'Appearance',
    description: 'Choose the colours and the typeface of the site, for you alone.',
    access: 'members',
    calls: ['POST /api/user-details'],
    main({ visitor: { user } }, formState) {
      const form = formState.of('preferences')
      return html`<section class="card">
<h2>How the site looks to you</h2>
<p>Other people see the site as its owner set it up.</p>
${form.form(
  html`<div class="pair">
${form.select({
  name: 'theme',
  label: 'Colours',
  value: user.theme,
  options: { system: 'Like the site', light: 'Light', dark: 'Dark' },
})}
${form.select({
  name: 'font',
  label: 'Typeface',
  value: user.font,
  options: { sans: 'Like the site', serif: 'Serif', mono: 'Monospaced' },
})}
</div>`,
  'Save',
)}
</section>`
    },
    forms: {
      async preferences({ perform }, { fields }) {
        const { theme, font } = fields
        await perform('POST /api/user-details', { preferences: { theme, font } })
        return { to: '/account/appearance', notice: 'preferences-saved' }
      },
    },
  }
}
