import { createHash } from 'node:crypto'
import type { Reply } from '../http/reply.ts'
import { escapeHtml } from '../lib/escape-html.ts'

/** Sends a page that exists in development only. `intro` and `main` are HTML. */
export function sendDevPage(reply: Reply, title: string, intro: string, main: string): Reply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .header('Content-Security-Policy', `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'`)
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${intro} This page exists in development only.</p>
</header>
<main>
${main}
</main>
</body>
</html>
`)
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c1c1a, #ecece6); --soft: light-dark(#6b6b64, #a3a39a);
  --line: light-dark(#e2e2dc, #3a3a36); --paper: light-dark(#fff, #242422); --ground: light-dark(#f4f4f1, #191918);
  --link: light-dark(#0b57d0, #8ab4f8) }
body { margin: 0 auto; max-width: 44rem; padding: 2rem 1rem 4rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif }
h1 { margin: 0 } h2 { margin: 0; font-size: 1.1rem }
header p, .meta, .empty { margin: .25rem 0 1.5rem; color: var(--soft) }
.meta { margin-bottom: 1rem; font-size: .875rem } a { color: var(--link) }
article { margin-bottom: 1rem; padding: 1.25rem 1.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .9rem/1.6 ui-monospace, monospace }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: .75rem 0 0 } dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
`
const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`
