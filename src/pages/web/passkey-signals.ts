// Tells the password manager of the browser which passkeys the account has, and which name it should show (the Signal
// API: WebAuthn Level 3, section 5.1.10). Browsers without it are left alone.

const ignore = () => {}

function signal({ rpId = '', userId, credentialId, accepted = '[]', name = '', displayName = '' }: DOMStringMap): void {
  if (credentialId) PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId }).catch(ignore)
  if (!userId) return
  const allAcceptedCredentialIds: string[] = JSON.parse(accepted)
  PublicKeyCredential.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }).catch(ignore)
  PublicKeyCredential.signalCurrentUserDetails?.({ rpId, userId, name, displayName }).catch(ignore)
}

if (typeof PublicKeyCredential === 'function') {
  for (const { dataset } of document.querySelectorAll<HTMLElement>('[data-passkey-signal]')) signal(dataset)
}
