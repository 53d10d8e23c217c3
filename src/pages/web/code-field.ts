// Keeps only the digits of a pasted code, which may have spaces, dashes or words around them.

for (const field of document.querySelectorAll<HTMLInputElement>('input.code')) {
  field.addEventListener('paste', (event) => {
    const digits = event.clipboardData?.getData('text').replace(/\D/g, '')
    if (!digits) return
    event.preventDefault()
    field.value = digits.slice(0, 6)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
