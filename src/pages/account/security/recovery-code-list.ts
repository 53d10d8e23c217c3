import { type Html, html } from '../../html.ts'

/** New recovery codes, shown once. The list can be printed, and downloaded without scripts. */
export function recoveryCodeList(siteTitle: string, codes: string[]): Html {
  const lines = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Recovery codes for ${siteTitle}\n\n${lines}\n`)}`
  return html`<section class="card">
<p>Keep these codes in a password manager or on paper. If you lose your phone or your passkey, each of them signs you in once. You see them only now.</p>
<pre class="recovery-codes">${lines}</pre>
<p class="actions"><a class="button quiet" href="${file}" download="recovery-codes.txt">Download as a file</a>
<a class="button" href="/account/security">I have saved them</a></p>
</section>`
}
