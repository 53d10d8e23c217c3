// Marks the rules that the typed password meets. The server checks them again.

function meets(password: string, check: string | undefined): boolean {
  return check === 'uppercase' ? /\p{Lu}/u.test(password) : [...password].length >= Number(check)
}

for (const list of document.querySelectorAll<HTMLUListElement>('.rules')) {
  const field = document.querySelector<HTMLInputElement>(`[aria-describedby~="${list.id}"]`)
  field?.addEventListener('input', () => {
    for (const item of list.querySelectorAll<HTMLLIElement>('[data-check]')) {
      item.classList.toggle('met', meets(field.value, item.dataset.check))
    }
  })
}
