import { type Html, html } from '../html.ts'
import { colourCode } from './colour-code.ts'
import { exampleOf } from './examples.ts'
import { type Field, fieldsOf, parametersOf } from './fields.ts'
import { methodBadge } from './method-badge.ts'
import { type Call, codesOf, contentOf, dataOf, isSignedIn, type Response } from './operations.ts'

/** The section of a call: its description, and beside it an example. `addressOf` gives the address of an error code. */
export function callSection(call: Call, baseUrl: string, addressOf: (code: string) => string): Html {
  const { id, method, path, summary, description, requestBody, responses } = call
  return html`<section class="call" aria-labelledby="${id}">
<div class="about">
<h3 id="${id}">${methodBadge(method)} <code>${withLineBreaks(path)}</code> <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h3>
<p class="summary">${summary}.${isSignedIn(call) && html` <span class="badge">Signed in</span>`}</p>
${description && html`<p>${inlineCode(description)}</p>`}
${fieldTable('Parameters', parametersOf(call), 'required')}
${fieldTable('Request body', fieldsOf(requestBody && contentOf(requestBody)?.schema), 'required')}
${fieldTable('Response data', fieldsOf(dataOf(call)), 'optional')}
${statusTable(responses, addressOf)}
</div>
${exampleBox(call, baseUrl)}
</section>
`
}

/** Allows a line break after each dot, and after each slash but the first. */
function withLineBreaks(path: string): Html {
  return html`${path.split(/(?<=.[/.])/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`
}

/**
 * A table of fields. `marked` is the word that marks some of them: what a request must have, or a response may lack.
 */
export function fieldTable(title: string, fields: Field[], marked: 'required' | 'optional'): Html | false {
  const isMarked = ({ isRequired }: Field) => isRequired === (marked === 'required')
  return (
    fields.length > 0 &&
    html`<table class="fields"><caption>${title}</caption>
<tbody>${fields.map(
      (
        field,
      ) => html`<tr><th scope="row"><code>${field.within && html`<span class="within">${withLineBreaks(field.within)}</span><wbr>`}${field.name}</code>${isMarked(field) && html` <em class="${marked}">${marked}</em>`}</th><td><p class="type">${[field.type, ...field.rules].map((rule, index) => html`${index > 0 && ', '}${inlineCode(rule)}`)}</p>${field.description && html`<p>${inlineCode(field.description)}</p>`}</td></tr>
`,
    )}</tbody></table>`
  )
}

function statusTable(responses: Record<string, Response>, addressOf: (code: string) => string): Html {
  return html`<table class="fields statuses"><caption>Statuses</caption>
<tbody>${Object.entries(responses).map(
    ([
      status,
      response,
    ]) => html`<tr><th scope="row"><code class="s${status.charAt(0)}">${status}</code></th><td><p>${response.description}</p>${codeLinks(codesOf(response), addressOf)}</td></tr>
`,
  )}</tbody></table>`
}

function codeLinks(codes: string[], addressOf: (code: string) => string): Html | false {
  return (
    codes.length > 0 &&
    html`<p class="codes">${codes.map((code) => html`<a href="${addressOf(code)}"><code>${code}</code></a> `)}</p>`
  )
}

/** The request in two languages, of which radio buttons choose one without a script, and the response. */
function exampleBox(call: Call, baseUrl: string): Html {
  const { curl, typescript, response } = exampleOf(call, baseUrl)
  const { id, name } = call
  return html`<div class="example">
<div class="code">
<fieldset class="languages"><legend class="unseen">Language of the example: ${name}</legend>
<label><input type="radio" name="language-${id}" value="curl" checked><span>curl</span></label>
<label><input type="radio" name="language-${id}" value="ts"><span>TypeScript</span></label></fieldset>
<div class="in-curl"><pre tabindex="0"><code class="language-sh">${colourCode(curl, 'sh')}</code></pre></div>
<div class="in-ts"><pre tabindex="0"><code class="language-ts">${colourCode(typescript, 'ts')}</code></pre></div>
</div>
<div class="code">
<p class="label">Response <span>${response.status}</span></p>
<div><pre tabindex="0"><code class="language-${response.language}">${colourCode(response.code, response.language)}</code></pre></div>
</div>
</div>`
}

/** A text in which back-quotes enclose code. */
function inlineCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
