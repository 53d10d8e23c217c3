// Adds a button to each block of code that copies it to the clipboard.

const RESET_MS = 2000

for (const block of document.querySelectorAll<HTMLPreElement>('main pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(codeOf(block))
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not allowed'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, RESET_MS)
  })
  const box = document.createElement('div')
  box.className = 'code-box'
  block.replaceWith(box)
  box.append(block, button)
}

/** The code without the lines that a diff removes. Numbers and marks of lines are drawn by the style sheet. */
function codeOf(block: HTMLPreElement): string {
  const copy = block.cloneNode(true) as HTMLPreElement
  for (const line of copy.querySelectorAll('del.line')) {
    line.nextSibling?.remove()
    line.remove()
  }
  return copy.textContent ?? ''
}
