import { setTimeout } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'

const POLL_MS = 50

/** An authenticator of Chromium for one page (Chrome DevTools Protocol, domain `WebAuthn`). */
export class VirtualAuthenticator {
  readonly #session: CDPSession
  readonly #authenticatorId: string

  constructor(session: CDPSession, authenticatorId: string) {
    this.#session = session
    this.#authenticatorId = authenticatorId
  }

  /** The ids of the passkeys that it has, in base64url. */
  async ids(): Promise<string[]> {
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', this.#reference)
    return credentials.map(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url'))
  }

  /** Resolves when it has no passkey any more. */
  async forgets(): Promise<void> {
    while ((await this.ids()).length > 0) await setTimeout(POLL_MS)
  }

  /** Whether the person passes the check of fingerprint, face or PIN. */
  async setVerified(isUserVerified: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setUserVerified', { ...this.#reference, isUserVerified })
  }

  get #reference() {
    return { authenticatorId: this.#authenticatorId }
  }
}

/** Adds an authenticator that is built into the device, stores passkeys and verifies its user. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return new VirtualAuthenticator(session, authenticatorId)
}
