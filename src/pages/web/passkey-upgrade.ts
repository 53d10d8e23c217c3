// After a log-in with a password, lets the browser create a passkey by itself, if it can and its password manager wants
// to (WebAuthn Level 3, section 5.1.3, `conditional` mediation of `create`). Every failure is silent.

const PAGE = '/account/security'

async function upgrade(): Promise<void> {
  const capabilities = await PublicKeyCredential.getClientCapabilities()
  if (!capabilities.conditionalCreate) return
  const response = await fetch(`${PAGE}/passkey-options?conditional`, { method: 'POST' })
  const { options } = await response.json()
  const credential = await navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    mediation: 'conditional',
  } as CredentialCreationOptions)
  if (!credential) return
  const body = new URLSearchParams({ form: 'add-passkey', passkey: JSON.stringify(credential) })
  // The browser has stored the passkey, so this request is completed also when the person opens another page. The
  // notice of the redirect is for the next page.
  await fetch(PAGE, { method: 'POST', body, redirect: 'manual', keepalive: true })
}

upgrade().catch(() => {})
