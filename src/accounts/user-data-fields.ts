import {
  Browser,
  Device,
  IpAddress,
  OperatingSystem,
  Role,
  SessionId,
  SessionMethod,
  StoredEmail,
  Time,
} from '../http/fields.ts'
import { nullable, Type } from '../http/schema.ts'
import { SecurityEvent } from './list-security-events.ts'
import { Profile } from './profile.ts'

export const MAX_DATA_ROWS = 10_000

const Provider = Type.String({ examples: ['codehost'] })
const Subject = Type.String({ description: 'The id of the identity at the provider', examples: ['83461'] })
const Issuer = Type.String({ examples: ['https://codehost.example.com'] })
const client = { browser: Browser, os: OperatingSystem, ipAddress: IpAddress }
const rowsOf = <Properties extends Parameters<typeof Type.Object>[0]>(
  title: string,
  properties: Properties,
  description?: string,
) => Type.Array(Type.Object(properties, { title }), description === undefined ? {} : { description })

const AccountFacts = Type.Object(
  {
    createdAt: Time,
    emailVerifiedAt: nullable(Time),
    isSecondFactorRequired: Type.Boolean(),
    role: Role,
    suspendedUntil: nullable(Time),
    suspensionReason: Type.String({ examples: [''] }),
  },
  { title: 'DataAccount' },
)

/** Everything that an account has, except secrets. */
export const UserData = Type.Object(
  {
    profile: Profile,
    account: AccountFacts,
    pictures: rowsOf('DataPicture', {
      isAvatar: Type.Boolean(),
      type: Type.String({ examples: ['image/webp'] }),
      base64: Type.String({ description: 'The bytes of the picture', examples: ['UklGRg=='] }),
    }),
    sessions: rowsOf(
      'DataSession',
      {
        sessionId: SessionId,
        authMethod: SessionMethod,
        methods: Type.String({ description: 'Values of the claim amr, separated by spaces', examples: ['pwd'] }),
        ...client,
        clientIp: nullable(IpAddress),
        device: Device,
        createdAt: Time,
        authenticatedAt: Time,
        lastActiveAt: Time,
        expiresAt: Time,
        revokedAt: nullable(Time),
      },
      `The newest ${MAX_DATA_ROWS} at most`,
    ),
    securityEvents: Type.Array(SecurityEvent, { description: `The newest ${MAX_DATA_ROWS} at most` }),
    linkedAccounts: rowsOf('DataLinkedAccount', {
      provider: Provider,
      issuer: Issuer,
      subject: Subject,
      username: Type.String({ examples: ['ada'] }),
      linkedAt: Time,
    }),
    unlinkedIdentities: rowsOf(
      'DataUnlinkedIdentity',
      { provider: Provider, issuer: Issuer, subject: Subject, unlinkedAt: Time },
      'Identities that may not sign in until the account holder links them again',
    ),
    knownDevices: rowsOf('DataKnownDevice', { browser: Browser, os: OperatingSystem }),
    passkeys: rowsOf('DataPasskey', {
      name: Type.String({ examples: ['My phone'] }),
      createdAt: Time,
      lastUsedAt: nullable(Time),
      isBackedUp: Type.Boolean(),
    }),
    authenticatorApps: rowsOf(
      'DataAuthenticatorApp',
      { createdAt: Time, confirmedAt: nullable(Time), lastUsedAt: nullable(Time) },
      'One at most, without its secret',
    ),
    recoveryCodesLeft: Type.Integer({ examples: [10] }),
    rememberedBrowsers: rowsOf('DataRememberedBrowser', {
      ...client,
      createdAt: Time,
      lastUsedAt: Time,
      expiresAt: Time,
    }),
    pendingEmailChanges: rowsOf('DataPendingEmailChange', { newEmail: StoredEmail, createdAt: Time }, 'One at most'),
    formerEmails: rowsOf(
      'DataFormerEmail',
      { email: StoredEmail, undoableUntil: Time },
      'Addresses that can still undo a change of the address',
    ),
    invitations: rowsOf(
      'DataInvitation',
      { email: StoredEmail, createdAt: Time, usedAt: nullable(Time) },
      'The invitation that the account was created with',
    ),
    waitingMails: rowsOf(
      'DataWaitingMail',
      { subject: Type.String({ examples: ['Your password was changed'] }), createdAt: Time },
      'Mails to the address of the account that are not delivered yet',
    ),
  },
  { title: 'UserData' },
)
