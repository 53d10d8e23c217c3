/** A failure whose message is complete for the operator. */
export class BackupError extends Error {}
