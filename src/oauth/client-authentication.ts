import * as openid from 'openid-client'

/** Where the client secret is sent: in the Authorization header (Basic), or in the body of the request. */
export type SecretPlace = 'header' | 'body'

/** Whether the discovery document of a provider names no method of client authentication. */
export function namesNoAuthMethod(server: openid.ServerMetadata): boolean {
  return server.token_endpoint_auth_methods_supported === undefined
}

/**
 * Sends the secret in the body if the discovery document names `client_secret_post`, and by Basic if it names other
 * methods only. If it names none, sends the secret in `place`.
 */
export function clientAuthentication(clientSecret: string, place: SecretPlace): openid.ClientAuth {
  const [post, basic] = [openid.ClientSecretPost(clientSecret), basicAuthentication(clientSecret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const isInBody = methods ? methods.includes('client_secret_post') : place === 'body'
    return isInBody ? post(server, ...rest) : basic(server, ...rest)
  }
}

/**
 * HTTP Basic with a form-encoded id and secret (RFC 6749, section 2.3.1). openid-client would also encode `-`, `_`, `.`
 * and `*`, which form encoding leaves unchanged. Gitea and Forgejo do not decode it and would not find the client.
 */
function basicAuthentication(clientSecret: string): openid.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = `${formEncoded(client_id)}:${formEncoded(clientSecret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

/** The serializer of application/x-www-form-urlencoded (URL Standard, section 5.2), applied to one value. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice('='.length)
}
