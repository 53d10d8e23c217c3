import type { UserRow } from '../database/tables.ts'
import { AuthMethod, FamilyName, FirstName, StoredEmail, StoredUsername, UserId } from '../http/fields.ts'
import { nullable, type Static, Type } from '../http/schema.ts'
import { ISO_DATE, instantOf } from '../http/schema-keywords.ts'
import { HttpUrl, LastName, line, Name, text } from './fields.ts'

const Location = Type.Object(
  {
    address: line(120, '12 St James’s Square'),
    city: line(120, 'London'),
    state: line(120, 'England'),
    country: line(120, 'United Kingdom'),
    zipCode: line(120, 'SW1Y 4LB'),
  },
  { title: 'Location' },
)

export const MAX_SOCIAL_ACCOUNTS = 20
const SocialAccount = Type.Object(
  {
    provider: Type.String({ ...Name, maxLength: 40, examples: ['codehost'] }),
    url: Type.String({ ...HttpUrl, examples: ['https://codehost.example.com/ada'] }),
  },
  { title: 'SocialAccount' },
)

const shortWord = (known: string[]) =>
  Type.String({
    pattern: '^[a-z][a-z-]{0,31}$',
    'x-pattern-words': '1 to 32 lower-case letters and hyphens, the first one a letter',
    'x-message': 'Must be a short word in lower case, such as dark or mono',
    description: `Any short word in lower case; the pages of the site know ${known.join(', ')}`,
    examples: [known[1]],
  })

const Preferences = Type.Object(
  {
    theme: shortWord(['light', 'dark', 'system']),
    font: shortWord(['sans', 'serif', 'mono']),
  },
  { title: 'Preferences' },
)

const DateOfBirth = nullable(
  Type.String({
    pattern: ISO_DATE,
    'x-date-in-the-past': true,
    'x-message': 'Date of birth must be a date in the past, such as 1990-12-31',
    description: 'An ISO 8601 date or datetime in the past',
    examples: ['1815-12-10'],
  }),
)

/** The profile fields that the account holder may change. All are optional. Other fields are ignored. */
export const ProfileChange = Type.Partial(
  Type.Object({
    firstName: Name,
    lastName: LastName,
    bio: text(500, 'Wrote the first program.'),
    location: Type.Partial(Location, { title: 'LocationChange' }),
    socialAccounts: Type.Array(SocialAccount, { maxItems: MAX_SOCIAL_ACCOUNTS }),
    preferences: Type.Partial(Preferences, { title: 'PreferencesChange' }),
    dob: DateOfBirth,
  }),
)

export const Profile = Type.Object(
  {
    _id: UserId,
    firstName: FirstName,
    lastName: FamilyName,
    username: StoredUsername,
    email: StoredEmail,
    avatar: Type.String({ examples: ['https://images.example.com/ada.png'] }),
    bio: Type.String({ examples: ['Wrote the first program.'] }),
    location: Location,
    socialAccounts: Type.Array(SocialAccount),
    preferences: Preferences,
    dob: nullable(Type.String({ format: 'date-time', examples: ['1815-12-10T00:00:00.000Z'] })),
    hasChangedUsername: Type.Boolean(),
    authMethod: AuthMethod,
    hasPassword: Type.Boolean(),
  },
  { title: 'User' },
)

export function profileOf(user: UserRow): Static<typeof Profile> {
  return {
    _id: user.id,
    firstName: user.first_name,
    lastName: user.last_name,
    username: user.username,
    email: user.email,
    avatar: user.avatar,
    bio: user.bio,
    location: {
      address: user.address,
      city: user.city,
      state: user.state,
      country: user.country,
      zipCode: user.zip_code,
    },
    socialAccounts: JSON.parse(user.social_accounts),
    preferences: { theme: user.theme, font: user.font },
    dob: user.dob,
    hasChangedUsername: user.has_changed_username === 1,
    authMethod: user.auth_method,
    hasPassword: user.password_hash !== null,
  }
}

/** The columns of the fields that a change contains. */
export function columnsOf(change: Static<typeof ProfileChange>): Partial<UserRow> {
  const { location = {}, preferences = {}, socialAccounts, dob } = change
  return withoutUndefined({
    first_name: change.firstName,
    last_name: change.lastName,
    bio: change.bio,
    address: location.address,
    city: location.city,
    state: location.state,
    country: location.country,
    zip_code: location.zipCode,
    social_accounts: socialAccounts && JSON.stringify(socialAccounts),
    theme: preferences.theme,
    font: preferences.font,
    dob: dob && instantOf(dob)?.toISOString(),
  })
}

function withoutUndefined<T extends object>(columns: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as never
}
