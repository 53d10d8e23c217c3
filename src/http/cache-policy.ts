const MAX_AGE_SECONDS = 60
const STALE_SECONDS = 600

/** `Cache-Control` of pages and of other content that changes with the site (RFC 9111 and RFC 5861). */
export const SHORT_CACHE = `public, max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`
/** `Cache-Control` of content whose address changes with it (RFC 8246). */
export const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable'
/** For how long a cache may serve a response with this policy. */
export const SHORT_CACHE_MS = (MAX_AGE_SECONDS + STALE_SECONDS) * 1000
