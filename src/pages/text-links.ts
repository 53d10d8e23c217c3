import { type Html, html } from './html.ts'

/** A plain text with its http and https addresses as links. Everything else is shown as it is. */
export function withLinks(text: string): Html {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/)
  // With a capturing group, every second part is an address.
  return html`${parts.map((part, index) => (index % 2 === 1 ? link(part) : html`${part}`))}`
}

function link(address: string): Html {
  const end = withoutPunctuation(address)
  const url = address.slice(0, end)
  if (!URL.canParse(url)) return html`${address}`
  return html`<a href="${url}" rel="noopener noreferrer">${url}</a>${address.slice(end)}`
}

/** Where an address ends whose last characters belong to the sentence around it. */
function withoutPunctuation(address: string): number {
  let end = address.length
  while (").,;:!?'".includes(address[end - 1] ?? ' ')) end--
  return end
}
