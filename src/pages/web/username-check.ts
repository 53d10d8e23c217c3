// Shows whether a username is free while it is typed.

const DEBOUNCE_MS = 250

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-check]')) {
  const status = document.createElement('p')
  status.className = 'hint'
  status.setAttribute('role', 'status')
  field.after(status)
  let timer: number | undefined
  let controller: AbortController | undefined

  field.addEventListener('input', () => {
    clearTimeout(timer)
    controller?.abort()
    status.textContent = ''
    if (field.value.length >= 3) timer = setTimeout(check, DEBOUNCE_MS)
  })

  async function check() {
    const username = field.value
    controller = new AbortController()
    try {
      const query = new URLSearchParams({ username })
      const response = await fetch(`${field.dataset.check}?${query}`, { signal: controller.signal })
      const { available } = await response.json()
      status.textContent = available === undefined ? '' : `${username} is ${available ? 'free' : 'not free'}`
    } catch {
      // The check is optional: the server checks again when the form is submitted.
    }
  }
}
