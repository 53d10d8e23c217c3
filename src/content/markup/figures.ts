import type { MarkdownIt, StateCore } from 'markdown-it'

/** A paragraph that is only a picture with a title, `![description](picture.png "caption")`, becomes a figure. */
export function addFigures(md: MarkdownIt): void {
  md.core.ruler.push('figures', makeFigures)
}

function makeFigures({ tokens, Token }: StateCore): void {
  tokens.forEach((open, index) => {
    const [inline, close] = tokens.slice(index + 1, index + 3)
    if (open.type !== 'paragraph_open' || open.hidden || !inline?.children || !close) return
    const [picture, ...others] = inline.children
    const caption = picture?.type === 'image' && others.length === 0 && picture.attrGet('title')
    if (!picture || !caption) return
    picture.attrs = picture.attrs?.filter(([name]) => name !== 'title') ?? null
    open.tag = close.tag = 'figure'
    const text = new Token('text', '', 0)
    text.content = String(caption)
    const lineEnd = new Token('softbreak', 'br', 0)
    inline.children.push(
      lineEnd,
      new Token('figcaption_open', 'figcaption', 1),
      text,
      new Token('figcaption_close', 'figcaption', -1),
    )
  })
}
