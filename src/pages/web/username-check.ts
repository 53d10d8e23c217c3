// Says while it is typed whether a username is free.

const PAUSE = 250

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-check]')) {
  const answer = document.createElement('p')
  answer.className = 'hint'
  answer.setAttribute('role', 'status')
  field.after(answer)
  let timer: number | undefined
  let asked: AbortController | undefined

  field.addEventListener('input', () => {
    clearTimeout(timer)
    asked?.abort()
    answer.textContent = ''
    if (field.value.length >= 3) timer = setTimeout(ask, PAUSE)
  })

  async function ask() {
    const username = field.value
    asked = new AbortController()
    try {
      const query = new URLSearchParams({ username })
      const response = await fetch(`${field.dataset.check}?${query}`, { signal: asked.signal })
      const { available } = await response.json()
      answer.textContent = available === undefined ? '' : `${username} is ${available ? 'free' : 'not free'}`
    } catch {
      // Sending the form will tell.
    }
  }
}
