// Adds a button to each password field that shows or hides the password. It is hidden again before the form is
// submitted.

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
  // Browsers may save the values of text fields for autocompletion.
  field.form?.addEventListener('submit', () => show(false))
  show(false)
  const box = document.createElement('div')
  box.className = 'with-button'
  field.replaceWith(box)
  box.append(field, button)
  if (field.autofocus) field.focus()
}
