import type { MarkdownIt, StateCore, Token } from 'markdown-it'

// The five alerts of GitHub (https://docs.github.com/en/get-started/writing-on-github: "Alerts"). Each icon is a path
// on a grid of 24 units, drawn with a stroke.
const CALLOUTS = {
  note: { title: 'Note', icon: 'M12 11v5.5M12 7.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z' },
  tip: {
    title: 'Tip',
    icon: 'M9.5 17.5h5M10.5 21h3M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.2 1 2v1.6h5v-1.6c0-.8.4-1.5 1-2A6 6 0 0 0 12 3Z',
  },
  important: {
    title: 'Important',
    icon: 'M12 7v4M12 13.5v.01M5 4h14a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-6l-5 4v-4H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z',
  },
  warning: {
    title: 'Warning',
    icon: 'M12 9v4.5M12 17v.01M10.3 4.2 2.6 17.5A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z',
  },
  caution: { title: 'Caution', icon: 'M12 7.5V13M12 16.5v.01M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3L8.3 3Z' },
}
const FIRST_LINE = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i

/** Block quotes that begin with a line such as `[!NOTE]` become callouts. */
export function addCallouts(md: MarkdownIt): void {
  md.core.ruler.after('block', 'callouts', markCallouts)
  md.renderer.rules.blockquote_open = (tokens, index, options, _env, renderer) =>
    renderer.renderToken(tokens, index, options) + titleOf(tokens[index])
}

/**
 * Runs before the text is parsed. The line with the name is removed from the text, and stays in the published markdown.
 */
function markCallouts({ tokens }: StateCore): void {
  tokens.forEach((quote, index) => {
    const [open, inline, close] = tokens.slice(index + 1, index + 4)
    if (quote.type !== 'blockquote_open' || open?.type !== 'paragraph_open' || !inline?.map || !close) return
    const [line, written] = FIRST_LINE.exec(inline.content) ?? []
    if (line === undefined) return
    const name = String(written).toLowerCase() as keyof typeof CALLOUTS
    quote.meta = { callout: name }
    quote.attrs = [
      ['class', `callout ${name}`],
      ['role', 'note'],
      ['aria-label', CALLOUTS[name].title],
    ]
    inline.content = inline.content.slice(line.length)
    inline.map = [inline.map[0] + 1, inline.map[1]]
    // A paragraph without further text is not rendered.
    open.hidden = close.hidden = inline.content === ''
  })
}

/**
 * The icon has presentation attributes, so it is drawn without the style sheet too, as in feed readers. The title has a
 * direction of its own: otherwise browsers would take the direction of the text from it.
 */
function titleOf(quote: Token | undefined): string {
  const name = (quote?.meta as { callout?: keyof typeof CALLOUTS } | null)?.callout
  if (!name) return ''
  const { title, icon } = CALLOUTS[name]
  return `<p class="callout-title" dir="ltr"><svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${icon}"/></svg> <strong>${title}</strong></p>\n`
}
