import { html } from '../../src/pages/html.ts'

/** A page with all pictures, those of one page in a row. */
export function contactSheet(files: string[]): string {
  const rows = Map.groupBy(files, (file) => file.split('.')[0] ?? '')
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Screenshots</title>
<style>
body { margin: 2rem; background: #777; font: 1rem/1.5 system-ui; }
div { display: flex; gap: 1rem; align-items: start; overflow-x: auto; }
img { display: block; width: 34rem; height: 24rem; object-fit: cover; object-position: top; }
img[src*=".phone."] { width: 12rem; }
</style>
${[...rows].map(
  ([name, pictures]) => html`<h2>${name}</h2>
<div>${pictures.map((file) => html`<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`)}</div>
`,
)}`.text
}
