import { escapeHtml } from '../lib/escape-html.ts'

/** A mail without its recipient, as plain text and as HTML. */
export interface Message {
  subject: string
  text: string
  html: string
}

export interface Content {
  subject: string
  site: string
  /** Undefined while the address is not verified: another person may have entered the name. */
  firstName: string | undefined
  paragraphs: string[]
  /** A one-time code and a link to the page that takes it. Both follow the first paragraph. */
  code?: { digits: string; link: string; label: string }
}

/**
 * Styles are inline and the layout is one column, since mail clients support little CSS and no external style sheets.
 */
export function compose({ subject, site, firstName, paragraphs, code }: Content): Message {
  const greeting = firstName === undefined ? 'Hello,' : `Hello ${firstName},`
  const closing = `You get this mail because your address was used at ${site}.`
  const [first = '', ...others] = paragraphs
  const text = [
    greeting,
    first,
    ...(code ? [`    ${code.digits}`, `${code.label}: ${code.link}`] : []),
    ...others,
    `-- \n${closing}`,
  ].join('\n\n')

  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:32px 16px;background:#f4f4f1;color:#1c1c1a;font:16px/1.6 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #e2e2dc;border-radius:12px">
<p style="margin:0 0 24px;font-size:13px;letter-spacing:.04em;color:#6b6b64">${escapeHtml(site)}</p>
<h1 style="margin:0 0 24px;font-size:22px;line-height:1.3">${escapeHtml(subject)}</h1>
${[greeting, first].map(paragraph).join('\n')}${code ? codeBlock(code) : ''}
${others.map(paragraph).join('\n')}
<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #e2e2dc;font-size:13px;color:#6b6b64">${escapeHtml(closing)}</p>
</div>
</body>
</html>
`
  return { subject, text: `${text}\n`, html }
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`
}

function codeBlock({ digits, link, label }: NonNullable<Content['code']>): string {
  // `letter-spacing` also adds 6px after the last digit. The left padding is 6px wider, which centres the digits.
  return `
<p style="margin:0 0 16px;padding:16px 16px 16px 22px;background:#f4f4f1;color:#1c1c1a;border-radius:8px;text-align:center;font:600 32px/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:6px">${escapeHtml(digits)}</p>
<p style="margin:0 0 24px;text-align:center"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 20px;background:#0a5c51;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>`
}
