import { type Html, html } from './html.ts'

/** Escapes a plain text as HTML and turns its http and https addresses into links. */
export function withLinks(text: string): Html {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/)
  // `split` with a capturing group returns the addresses at odd indexes.
  return html`${parts.map((part, index) => (index % 2 === 1 ? link(part) : html`${part}`))}`
}

function link(address: string): Html {
  const end = lengthWithoutPunctuation(address)
  const url = address.slice(0, end)
  if (!URL.canParse(url)) return html`${address}`
  return html`<a href="${url}" rel="noopener noreferrer">${url}</a>${address.slice(end)}`
}

/** The length of an address without the trailing punctuation of its sentence. */
function lengthWithoutPunctuation(address: string): number {
  let end = address.length
  while (").,;:!?'".includes(address[end - 1] ?? ' ')) end--
  return end
}
