// Lets the forms with `data-passkey` create or use a passkey before they are submitted. The credential is sent in the
// field `passkey`. Without support by the browser these forms are hidden.

// The options expire after 5 minutes, so a request that waits for the autofill of the browser gets new ones in time.
const RENEWAL_MS = 4 * 60_000

interface Refused {
  code: string
  message: string
}

class OptionsRefused extends Error {
  readonly code: string
  constructor({ code, message }: Refused) {
    super(message)
    this.code = code
  }
}

async function optionsFrom(form: HTMLFormElement) {
  const response = await fetch(form.dataset.options ?? '', { method: 'POST' })
  const body = await response.json()
  if (!response.ok) throw new OptionsRefused(body)
  return body.options
}

async function credentialFor(form: HTMLFormElement, settings: { mediation?: 'conditional'; signal: AbortSignal }) {
  const options = await optionsFrom(form)
  return form.dataset.passkey === 'create'
    ? navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        ...settings,
      } as CredentialCreationOptions)
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), ...settings })
}

function send(form: HTMLFormElement, credential: Credential | null): void {
  const field = form.elements.namedItem('passkey') as HTMLInputElement
  field.value = JSON.stringify(credential)
  form.submit()
}

/** The reasons for which a browser ends a ceremony (WebAuthn Level 3, section 5.1.3). */
function messageFor(error: unknown): string {
  if (error instanceof OptionsRefused) return `${error.message}.`
  const { name } = error as Error
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.'
  if (name === 'SecurityError') return 'Passkeys do not work at this address.'
  return 'No passkey was used. You can try again.'
}

function enable(form: HTMLFormElement): void {
  const status = document.createElement('p')
  status.className = 'hint'
  status.setAttribute('role', 'status')
  form.after(status)
  let running = new AbortController()

  /** Aborts the request before it: a page can have one at a time. */
  function next(): AbortSignal {
    running.abort()
    running = new AbortController()
    return running.signal
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    status.textContent = ''
    clearInterval(renewal)
    try {
      send(form, await credentialFor(form, { signal: next() }))
    } catch (error) {
      const isRefused = error instanceof OptionsRefused && error.code === 'reauthentication_required'
      if (isRefused && form.dataset.confirm) location.assign(form.dataset.confirm)
      else status.textContent = messageFor(error)
    }
  })

  async function offerInAutofill(): Promise<void> {
    const signal = next()
    try {
      send(form, await credentialFor(form, { mediation: 'conditional', signal }))
    } catch {
      // The page offered the passkey by itself, so it shows no error.
    }
  }

  let renewal: ReturnType<typeof setInterval> | undefined
  if ('conditional' in form.dataset) {
    PublicKeyCredential.isConditionalMediationAvailable?.().then((isAvailable) => {
      if (!isAvailable) return
      offerInAutofill()
      renewal = setInterval(offerInAutofill, RENEWAL_MS)
    })
  }
  form.dataset.state = 'ready'
}

const isSupported = typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  if (isSupported) enable(form)
  else form.hidden = true
}
