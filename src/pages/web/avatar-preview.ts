// Shows a preview of the chosen picture before it is uploaded.

const portrait = document.querySelector<HTMLElement>('main .portrait')
const field = document.querySelector<HTMLInputElement>('input[type=file]')

field?.addEventListener('change', () => {
  const [file] = field.files ?? []
  if (!file || !portrait) return
  const image = new Image(96, 96)
  image.className = 'portrait'
  image.alt = 'The picture that you have chosen'
  image.addEventListener('load', () => URL.revokeObjectURL(image.src))
  // The server may support a format that the browser does not, so this is not an error.
  image.addEventListener('error', () => image.replaceWith(portrait))
  image.src = URL.createObjectURL(file)
  document.querySelector('main .portrait')?.replaceWith(image)
})
