// A button in every password field that shows what is typed, and hides it again before it is sent.

for (const field of document.querySelectorAll<HTMLInputElement>('input[type=password]')) {
  const button = document.createElement('button')
  const show = (isShown: boolean) => {
    field.type = isShown ? 'text' : 'password'
    button.textContent = isShown ? 'Hide' : 'Show'
    button.setAttribute('aria-pressed', String(isShown))
  }
  button.type = 'button'
  button.className = 'plain show'
  button.setAttribute('aria-label', `Show: ${field.labels?.[0]?.textContent ?? 'password'}`)
  button.setAttribute('aria-controls', field.id)
  button.addEventListener('click', () => show(field.type === 'password'))
  // Browsers offer to remember what stands in fields of text.
  field.form?.addEventListener('submit', () => show(false))
  show(false)
  const box = document.createElement('div')
  box.className = 'with-button'
  field.replaceWith(box)
  box.append(field, button)
  if (field.autofocus) field.focus()
}
