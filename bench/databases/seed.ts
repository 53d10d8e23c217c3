import { hashPassword } from '../../src/accounts/password-hash.ts'
import { PASSWORD } from './people.ts'

/** Verified accounts with three live sessions each, in statements that both engines support. */
export async function seed(accounts: number): Promise<string[]> {
  const now = Date.now()
  const inAMonth = now + 30 * 24 * 60 * 60 * 1000
  const id = 'cast(gen_random_uuid() as text)'
  return [
    `insert into users (id, email, email_verified_at, password_hash, auth_method, first_name, last_name,
        username, username_key, bio, city, country, social_accounts, created_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${accounts})
      select ${id}, 'person-' || n || '@example.com', ${now}, '${await hashPassword(PASSWORD)}', 'email', 'Ada', 'Lovelace',
        'person-' || n, 'person-' || n, 'Poetical science: the first to see that the engine could do more than numbers.',
        'London', 'United Kingdom', '[{"provider":"codehost","url":"https://example.com/ada"}]', ${now}
      from numbers`,
    `insert into sessions (id, user_id, auth_method, browser, os, device, ip_address, created_at, last_active_at,
        expires_at, refresh_id, rotated_at)
      select ${id}, users.id, 'email', 'Firefox 140.0', 'Linux', 'Desktop', '203.0.113.7', ${now}, ${now},
        ${inAMonth}, ${id}, ${now}
      from users cross join (select 1 union all select 2 union all select 3) as devices`,
  ]
}
