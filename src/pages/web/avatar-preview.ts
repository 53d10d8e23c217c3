// Shows the chosen picture in its place before it is sent.

const portrait = document.querySelector<HTMLElement>('.portrait')
const field = document.querySelector<HTMLInputElement>('input[type=file]')

field?.addEventListener('change', () => {
  const [file] = field.files ?? []
  if (!file || !portrait) return
  const image = new Image(96, 96)
  image.className = 'portrait'
  image.alt = 'The picture that you have chosen'
  image.addEventListener('load', () => URL.revokeObjectURL(image.src))
  // What the browser cannot draw, the server may still be able to; it will say.
  image.addEventListener('error', () => image.replaceWith(portrait))
  image.src = URL.createObjectURL(file)
  document.querySelector('.portrait')?.replaceWith(image)
})
