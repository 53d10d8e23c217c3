/**
 * How many accounts were created and how many sessions began in a period of 15 minutes. Each period is counted once, by
 * housekeeping, so that concurrent log-ins do not contend for one row. The rows outlive the accounts.
 */
export interface ActivityCountsTable {
  /** The number of periods between 1970 and this one. */
  period: number
  sign_ups: number
  log_ins: number
}

/** The processes that serve. Each writes its own row once a minute. */
export interface InstancesTable {
  id: string
  version: string
  /** The name of the machine or container. */
  host: string
  started_at: number
  seen_at: number
  /** Responses of the last hour, and those of them that were errors of the service. */
  requests: number
  errors: number
  /** The password hashes that wait, and how many may. */
  hash_queue: number
  hash_capacity: number
}
