import { Html, html } from './html.ts'

// Paths on a grid of 24 units, drawn with a stroke (see `.icon` in base.css).
const PATHS = {
  down: 'm7 10 5 5 5-5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  info: 'M12 11v5.5M12 7.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  warning: 'M12 9v4.5M12 17v.01M10.3 4.2 2.6 17.5A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z',
  problem: 'M12 7.5V13M12 16.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  search: 'M10.5 17.5a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM15.5 15.5l5 5',
  mail: 'M4 6h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1Zm-.5 1 8.5 6.5L20.5 7',
}

export type IconName = keyof typeof PATHS

/** An icon beside text. Screen readers skip it, so the text must say the same. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${new Html(PATHS[name])}"/></svg>`
}
