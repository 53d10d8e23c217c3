import { invalid } from '../http/refusal.ts'
import type { Routes } from '../http/routes.ts'
import { FormState } from './account/form-state.ts'
import { notice, portrait } from './components.ts'
import { sendDevPage } from './dev-page.ts'
import { type Html, html } from './html.ts'
import type { Frame } from './layout.ts'
import { sideNav } from './side-nav.ts'

/** Serves /dev/design, which shows every component in every state. */
export function showDesign(app: Routes, frame: () => Promise<Frame>): void {
  app.get('/dev/design', async (_request, reply) =>
    sendDevPage(reply, await frame(), {
      path: '/dev/design',
      intro: 'Every component in every state, in the colours of this site.',
      main: html`${Object.entries(SPECIMENS).map(
        ([title, content]) => html`<section class="specimen" aria-labelledby="${idOf(title)}">
<h2 id="${idOf(title)}">${title}</h2>
${content}
</section>
`,
      )}`,
    }),
  )
}

const idOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

// The colour roles of tokens.css, and those of accent.ts.
const COLOURS = `ground surface sunken line edge soft ink accent accent-strong accent-tint good good-tint warn warn-tint
  bad bad-tint`.split(/\s+/)

const valid = new FormState().of('specimen')
const refused = new FormState(
  'refused',
  { email: 'ada@example', bio: '' },
  invalid('email', 'invalid_format', 'Enter an e-mail address such as ada@example.com'),
).of('refused')

const SPECIMENS: Record<string, Html> = {
  Colours: html`<ul class="swatches">${COLOURS.map((name) => html`<li><span class="swatch ${name}"></span><code>--${name}</code></li>`)}</ul>`,
  Type: html`<p class="specimen-hero">Hero, Ag 0123</p>
<h1>Heading 1</h1>
<h2>Heading 2</h2>
<h3>Heading 3</h3>
<h4>Heading 4</h4>
<p class="lead">A lead tells in one or two sentences what the page is about.</p>
<p>Text with a <a href="#type">link</a>, <strong>strong</strong> and <em>emphasised</em> words, and <code>code</code>. The measure of a line is about 75 characters, and the next line is easy to find.</p>
<p class="meta">Meta: 16 November 2026 · 4 min read</p>
<blockquote><p>A quotation is set apart by a line in the accent colour.</p></blockquote>`,
  Buttons: html`<p class="actions"><button>Main action</button> <button class="quiet">Other action</button> <button class="danger">Delete</button> <button class="plain">Like a link</button> <a class="button quiet" href="#buttons">A link</a></p>
<p class="actions"><button disabled>Main action</button> <button class="quiet" disabled>Other action</button> <button class="danger" disabled>Delete</button></p>`,
  Fields: html`<div class="columns">
<div>${valid.input({ name: 'name', label: 'Text', value: 'Ada Lovelace' })}
${valid.input({ name: 'hinted', label: 'With a hint', hint: 'Three to thirty letters.', isOptional: true })}
${valid.input({ name: 'fixed', label: 'Read-only', value: 'ada@example.com', attributes: html` readonly` })}
${valid.newPassword({ name: 'password', label: 'New password', rules: [{ text: 'At least 8 characters', check: 8 }] })}
${valid.code({ name: 'code', label: 'Code', value: '492817' })}</div>
<div>${refused.input({ name: 'email', label: 'With an error', type: 'email' })}
${valid.select({ name: 'theme', label: 'Choice', options: { system: 'Like the site', dark: 'Dark' } })}
${valid.area({ name: 'bio', label: 'Long text', value: 'First line\nSecond line' })}
${valid.file({ name: 'file', label: 'File', accept: 'image/*' })}
${valid.checkbox({ name: 'sure', label: 'Yes, I am sure' })}</div>
</div>`,
  Notices: html`${notice('note', 'A note says what may help.')}
${notice('good', 'A success says what was done.')}
${notice('warn', 'A warning says what may go wrong.')}
${notice('problem', 'A problem says what to mend.')}`,
  Cards: html`<section class="card"><h2>A card</h2><p>Groups what belongs together.</p><button>Save</button></section>
<section class="card framed"><h2>A framed card</h2><p>For what destroys. It comes last.</p><button class="danger">Delete</button></section>`,
  Tabs: html`<nav class="parts" aria-label="Example"><a href="#tabs" aria-current="page">Profile</a> <a href="#tabs">Appearance</a> <a href="#tabs">Security</a> <a href="#tabs">Data</a></nav>`,
  'Side navigation': sideNav('Example pages', 'All pages', [
    {
      title: 'Guides',
      entries: [
        html`<a href="#side-navigation" aria-current="page">Current page</a>`,
        html`<a href="#side-navigation">Other page</a>`,
      ],
    },
  ]),
  'Search results': html`<ol class="results"><li><p class="result-title"><a href="#search-results">Back up <mark>the</mark> data <span class="of-part">› What to copy</span></a> <span class="badge">Guides</span></p>
<p>The words of <mark>the</mark> query are marked.</p></li></ol>`,
  Table: html`<div class="table" tabindex="0" role="group" aria-label="Table: Engine, Reads, Note"><table>
<thead><tr><th scope="col">Engine</th><th scope="col" class="right">Reads a second</th><th scope="col">Note</th></tr></thead>
<tbody><tr><td>SQLite</td><td class="right">20,884</td><td class="long">One file, one process, no network between them.</td></tr>
<tr><td>PostgreSQL</td><td class="right">6,777</td><td class="long">Any number of instances share one database.</td></tr></tbody></table></div>`,
  Badges: html`<p class="actions"><span class="badge">Neutral</span> <span class="badge accent">This device</span> <span class="badge good">Verified</span> <span class="badge warn">Draft</span> <span class="badge bad">Suspended</span></p>`,
  'Empty state': html`<div class="empty"><p>No posts yet.</p><p><a class="button quiet" href="#empty-state">Write the first one</a></p></div>`,
  Details: html`<details><summary>Closed</summary></details>
<details open><summary>Open</summary><p>What was folded away.</p></details>`,
  Menu: html`<button class="quiet" popovertarget="specimen-menu">Open the menu</button>
<nav class="menu" id="specimen-menu" popover aria-label="Example menu"><a href="#menu" aria-current="page">Profile</a><a href="#menu">Security</a><hr><button class="plain">Log out</button></nav>`,
  Dialog: html`<button class="quiet" popovertarget="specimen-dialog">Open the dialog</button>
<div class="dialog" id="specimen-dialog" popover role="dialog" aria-labelledby="specimen-dialog-title">
<h2 id="specimen-dialog-title">Sign out all other devices?</h2>
<p>Each of them has to log in again.</p>
<p class="actions"><button class="danger">Sign out</button> <button class="quiet" popovertarget="specimen-dialog" popovertargetaction="hide">Cancel</button></p>
</div>`,
  Code: html`<pre tabindex="0" data-language="sh"><code>curl https://example.com/api/user-details \\
  -H "Authorization: Bearer $ACCESS_TOKEN"</code></pre>`,
  Portraits: html`<p class="actions">${portrait({ name: 'Ada Lovelace', avatar: '' })} ${portrait({ name: 'Grace', avatar: '' })}</p>`,
}
