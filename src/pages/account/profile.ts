import { MAX_SOCIAL_ACCOUNTS } from '../../accounts/profile.ts'
import type { UserRow } from '../../database/tables.ts'
import { invalid } from '../../http/refusal.ts'
import { portrait } from '../components.ts'
import { type Html, html } from '../html.ts'
import type { FormState } from './form-state.ts'
import type { FormView } from './form-view.ts'
import type { MemberPage } from './page.ts'

const NO_AVATAR = 'Choose a picture first'

export function profilePage(): MemberPage {
  return {
    path: '/account',
    title: 'Profile',
    description: 'Your name, picture, location and links.',
    access: 'members',
    calls: [
      'GET /api/user-details',
      'POST /api/user-details',
      'POST /api/uploads',
      'POST /api/upload-avatar',
      'DELETE /api/upload-avatar',
    ],
    scripts: ['avatar-preview'],
    fileCall: 'POST /api/uploads',
    showsAvatar: true,
    main: ({ visitor: { user } }, formState) => html`${avatar(user, formState)}
<section class="card">
<h2>About you</h2>
<p>Only your name is required.</p>
${details(user, formState.of('profile'))}
</section>`,
    forms: {
      async avatar({ perform }, { file }) {
        if (!file) throw invalid('file', 'required', NO_AVATAR)
        const { url } = await perform<{ url: string }>('POST /api/uploads', { file })
        await perform('POST /api/upload-avatar', { avatar: url })
        return { to: '/account', notice: 'avatar-set' }
      },
      async 'remove-avatar'({ perform }) {
        await perform('DELETE /api/upload-avatar')
        return { to: '/account', notice: 'avatar-removed' }
      },
      async profile({ perform }, { fields }) {
        await perform('POST /api/user-details', profileOf(fields))
        return { to: '/account', notice: 'profile-saved' }
      },
    },
  }
}

function avatar(user: UserRow, formState: FormState): Html {
  const [form, removal] = [formState.of('avatar'), formState.of('remove-avatar')]
  const name = `${user.first_name} ${user.last_name}`
  return html`<section class="card" aria-label="You">
<div class="who">
${portrait({ name, avatar: user.avatar })}
<div>
<p><strong dir="auto">${name}</strong>
<span>@${user.username}</span>
<span>${user.email}</span></p>
</div>
</div>
<div class="picture-forms">
${form.form(
  form.file({
    name: 'file',
    label: 'Picture',
    accept: 'image/png,image/jpeg,image/webp,image/avif,image/gif',
    hint: 'PNG, JPEG, WebP, AVIF or GIF, up to 5 MB. It is cut square.',
  }),
  'Upload',
  { look: 'quiet', hasFile: true },
)}
${user.avatar && removal.form(html``, 'Remove', { look: 'quiet' })}
</div>
</section>`
}

function details(user: UserRow, form: FormView): Html {
  return form.form(
    html`<div class="pair">
${form.input({ name: 'firstName', label: 'First name', value: user.first_name, autocomplete: 'given-name' })}
${form.input({ name: 'lastName', label: 'Last name', value: user.last_name, autocomplete: 'family-name' })}
</div>
${form.area({ name: 'bio', label: 'Bio', value: user.bio, hint: 'Up to 500 characters.', isOptional: true })}
${form.input({ name: 'dob', label: 'Date of birth', type: 'date', value: user.dob?.slice(0, 10) ?? '', autocomplete: 'bday', isOptional: true })}
<details${hasLocation(user, form) && html` open`}>
<summary>Location</summary>
<fieldset>
<legend class="unseen">Location</legend>
${form.input({ name: 'location.address', label: 'Address', value: user.address, autocomplete: 'address-line1', isOptional: true })}
<div class="pair">
${form.input({ name: 'location.zipCode', label: 'Zip code', value: user.zip_code, autocomplete: 'postal-code', isOptional: true })}
${form.input({ name: 'location.city', label: 'City', value: user.city, autocomplete: 'address-level2', isOptional: true })}
</div>
<div class="pair">
${form.input({ name: 'location.state', label: 'State', value: user.state, autocomplete: 'address-level1', isOptional: true })}
${form.input({ name: 'location.country', label: 'Country', value: user.country, autocomplete: 'country-name', isOptional: true })}
</div>
</fieldset>
</details>
<fieldset>
<legend>Links</legend>
${links(user, form)}
</fieldset>`,
    'Save',
  )
}

/** The address is folded away until it is in use, or one of its fields has an error. */
function hasLocation({ address, zip_code, city, state, country }: UserRow, form: FormView): boolean {
  return [address, zip_code, city, state, country].some(Boolean) || form.hasErrorIn('location.')
}

/** A row for each link, and two empty ones to add more. Submitting an empty row removes the link. */
function links(user: UserRow, form: FormView): Html[] {
  const known: { provider: string; url: string }[] = JSON.parse(user.social_accounts)
  const rows = Math.min(known.length + 2, MAX_SOCIAL_ACCOUNTS)
  return Array.from({ length: rows }, (_, index) => {
    const { provider = '', url = '' } = known[index] ?? {}
    const name = (field: string) => `socialAccounts.${index}.${field}`
    return html`<div class="pair link">
${form.input({ name: name('provider'), label: `Link ${index + 1}: name`, value: provider, autocomplete: 'off', isOptional: true })}
${form.input({ name: name('url'), label: `Link ${index + 1}: address`, type: 'url', value: url, autocomplete: 'off', isOptional: true })}
</div>`
  })
}

/** Converts the form's fields to the body of POST /api/user-details. Absent fields are not changed. */
function profileOf(fields: Record<string, string>) {
  const location = ['address', 'city', 'state', 'country', 'zipCode']
  const rows = Array.from({ length: MAX_SOCIAL_ACCOUNTS }, (_, index) => ({
    provider: fields[`socialAccounts.${index}.provider`]?.trim() ?? '',
    url: fields[`socialAccounts.${index}.url`]?.trim() ?? '',
  }))
  return {
    firstName: fields.firstName,
    lastName: fields.lastName,
    // Browsers submit line breaks as CRLF (HTML, "convert to a list of name-value pairs").
    bio: fields.bio?.replaceAll('\r\n', '\n'),
    dob: fields.dob === '' ? null : fields.dob,
    location: Object.fromEntries(location.map((name) => [name, fields[`location.${name}`]])),
    ...('socialAccounts.0.url' in fields && { socialAccounts: rows.filter(({ provider, url }) => provider || url) }),
  }
}
