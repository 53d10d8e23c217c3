/** The `info` of the description of the account API. */
export const ACCOUNT_API_INFO = {
  title: 'Account API',
  version: '1.0.0',
  description:
    'Accounts, sessions and profiles. Every response has the same envelope: success, message, data or errors, timestamp ' +
    'and requestId. An error also has a code, which is stable. Signed-in calls carry the access token and the id of ' +
    'the session it was issued for. Fields that an operation does not name are ignored, whatever they contain. A body ' +
    'has at most 64 KiB, 20 levels and 500 entries in a list. Texts are Unicode: a lone surrogate is refused with 400.',
}
