/**
 * Thrown when the client has closed its connection while its body is read, or while the request is in the queue of
 * password hashes. No response is sent, and the request is neither logged nor measured.
 */
export class ClientGone extends Error {}
