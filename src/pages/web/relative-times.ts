// Replaces dates by relative times such as "3 minutes ago". The tooltip has the exact time in the time zone of the
// browser.

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]
const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long', timeStyle: 'short' })

function ago(time: Date): string {
  const seconds = (time.valueOf() - Date.now()) / 1000
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60]
  return Math.abs(seconds) < 60 ? 'just now' : words.format(Math.round(seconds / length), unit)
}

function refresh(): void {
  for (const element of document.querySelectorAll<HTMLTimeElement>('main time')) {
    const time = new Date(element.dateTime)
    element.textContent = ago(time)
    element.title = exact.format(time)
  }
}

refresh()
setInterval(refresh, 30_000)
