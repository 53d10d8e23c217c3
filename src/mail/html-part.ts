import { escapeHtml } from '../lib/escape-html.ts'
import { type MailColours, mailColours } from './colours.ts'
import { type Action, type Block, type Content, greetingOf } from './content.ts'

/** The media query of the dark colours. /dev/mails replaces it to show a mail in either scheme. */
export const DARK_QUERY = '(prefers-color-scheme: dark)'

/** The colour schemes that a mail declares to support. */
export const COLOUR_SCHEMES = 'light dark'

const WIDTH_PX = 480
const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONOSPACED = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace'

/**
 * Every coloured part of a mail. The light colours are inline, since some mail programs remove style sheets. The dark
 * ones are in a style sheet with a media query, and apply where that is supported.
 */
const PAINT = {
  page: ({ ground, ink }) => `background-color:${ground};color:${ink}`,
  card: ({ surface, ink, line }) => `background-color:${surface};color:${ink};border-color:${line}`,
  name: ({ ink }) => `color:${ink}`,
  soft: ({ soft }) => `color:${soft}`,
  link: ({ accent }) => `color:${accent}`,
  code: (colours) => `background-color:${colours['accent-tint']};color:${colours.accent}`,
  facts: ({ sunken, ink }) => `background-color:${sunken};color:${ink}`,
  main: (colours) => `background-color:${colours.accent};border-color:${colours.accent};color:${colours['on-accent']}`,
  quiet: ({ surface, ink, edge }) => `background-color:${surface};border-color:${edge};color:${ink}`,
} satisfies Record<string, (colours: MailColours) => string>

type Part = keyof typeof PAINT

/**
 * Writes a mail as HTML: one column of paragraphs. Outlook on Windows ignores the width and padding of a `div`, and
 * the padding of a link, so it gets one table around the column (in comments that only it reads) and one for a button.
 *
 * Mail programs list the first text of a mail beside its subject. The style sheet hides that text in the mail itself.
 * An inline style must not: filters take hidden text for spam. Without style sheets, the text is a small first line.
 */
export function htmlPart(content: Content): string {
  const { subject, preview, blocks, reason, site } = content
  const { light, dark } = mailColours(site.accent)
  const painted = (part: Part, style: string) => `class="${part}" style="${PAINT[part](light)};${style}"`
  const { host } = new URL(site.address)
  const home = (text: string, attributes: string) =>
    `<a href="${escapeHtml(site.address)}" dir="auto" ${attributes}>${escapeHtml(text)}</a>`
  const title =
    site.title === host
      ? ''
      : `<span dir="auto" ${painted('name', 'font-weight:600')}>${escapeHtml(site.title)}</span><br>`

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="${COLOUR_SCHEMES}">
<meta name="supported-color-schemes" content="${COLOUR_SCHEMES}">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: ${COLOUR_SCHEMES}; supported-color-schemes: ${COLOUR_SCHEMES}; }
.preview { display: none; mso-hide: all; }
@media ${DARK_QUERY} {
${Object.entries(PAINT)
  .map(([part, paint]) => `.${part} { ${important(paint(dark))} }`)
  .join('\n')}
}
</style>
</head>
<body ${painted('page', 'margin:0;padding:0')}>
<div ${painted('page', `padding:32px 16px;font:16px/1.55 ${FONT}`)}>
<!--[if mso]><table role="presentation" width="${WIDTH_PX}" align="center" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<div style="max-width:${WIDTH_PX}px;margin:0 auto">
<div class="preview"><p ${painted('soft', 'margin:0 0 16px;font-size:13px')}>${escapeHtml(preview)}</p></div>
<p style="margin:0 0 16px;font-size:17px;font-weight:600;letter-spacing:-0.01em">${home(site.title, painted('name', 'text-decoration:none'))}</p>
<!--[if mso]><table role="presentation" width="100%" cellpadding="32" cellspacing="0"><tr><td bgcolor="${light.surface}"><![endif]-->
<div ${painted('card', 'padding:32px 28px 16px;border-width:1px;border-style:solid;border-radius:16px')}>
<h1 style="margin:0 0 20px;font-size:24px;line-height:1.25;font-weight:650;letter-spacing:-0.02em">${escapeHtml(subject)}</h1>
${[greetingOf(content), ...blocks].map(block).join('\n')}
</div>
<!--[if mso]></td></tr></table><![endif]-->
<p ${painted('soft', 'margin:20px 0 0;font-size:13px')}>${escapeHtml(reason)}</p>
<p ${painted('soft', 'margin:12px 0 0;font-size:13px')}>${title}${home(site.address, painted('soft', 'text-decoration:underline'))}</p>
</div>
<!--[if mso]></td></tr></table><![endif]-->
</div>
</body>
</html>
`

  function block(block: Block): string {
    if (typeof block === 'string') return `<p style="margin:0 0 16px">${escapeHtml(block)}</p>`
    if ('digits' in block) return code(block.digits)
    if ('link' in block) return action(block)
    return facts(block.facts)
  }

  function code(digits: string): string {
    // One text without spaces is copied whole. `letter-spacing` also adds 6px after the last digit: the left padding
    // is 6px wider, which centres the digits.
    const layout = `margin:24px 0;padding:18px 16px 18px 22px;border-radius:10px;text-align:center;font:600 36px/1.2 ${MONOSPACED};letter-spacing:6px;-webkit-user-select:all;user-select:all`
    return `<p ${painted('code', layout)}>${escapeHtml(digits)}</p>`
  }

  function action({ label, link, isMain }: Action): string {
    const href = escapeHtml(link)
    const part = isMain ? 'main' : 'quiet'
    const shape = 'border-width:1px;border-style:solid;border-radius:10px'
    return `<table role="presentation" border="0" cellpadding="0" cellspacing="0" style="margin:24px 0 12px;border-collapse:separate">
<tr><td ${painted(part, `${shape};mso-padding-alt:12px 22px`)}><a href="${href}" ${painted(part, `display:inline-block;padding:12px 22px;border-width:0;border-radius:10px;font-weight:600;line-height:1.3;text-decoration:none`)}>${escapeHtml(label)}</a></td></tr>
</table>
<p ${painted('soft', 'margin:0 0 20px;font-size:13px')}>Or open this address in your browser:<br><a href="${href}" ${painted('link', 'word-break:break-all')}>${href}</a></p>`
  }

  function facts(facts: [label: string, value: string][]): string {
    const rows = facts.map(
      ([label, value]) =>
        `<tr><th scope="row" align="left" ${painted('soft', 'padding:3px 14px 3px 0;font-weight:400;text-align:left;vertical-align:top;white-space:nowrap')}>${escapeHtml(label)}</th><td style="padding:3px 0;vertical-align:top">${escapeHtml(value)}</td></tr>`,
    )
    return `<div ${painted('facts', 'margin:20px 0;padding:12px 16px;border-radius:10px')}>
<table border="0" cellpadding="0" cellspacing="0" style="color:inherit;font-size:15px;line-height:1.45">
${rows.join('\n')}
</table>
</div>`
  }
}

/** A rule of a style sheet overrides an inline style only if it is important. */
function important(declarations: string): string {
  return declarations
    .split(';')
    .map((declaration) => `${declaration} !important;`)
    .join(' ')
}
