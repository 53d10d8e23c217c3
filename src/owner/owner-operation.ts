import type { Database } from '../database/database.ts'
import type { Actor } from '../events/owner-actions.ts'
import type { ReadClientInfo } from '../http/client-info.ts'
import type { OperationResult } from '../http/envelope.ts'
import type { Call, Contract, Operation } from '../http/operation.ts'
import type { Static, TSchema } from '../http/schema.ts'
import { type ProofParts, reauthenticationRequired, requireRecentProof } from '../proofs/recent-proof.ts'

/** An operation for owners. The API and the pages call `handle`, and the command line calls `run`. */
export interface OwnerOperation<Body = unknown, Query = unknown, Data = unknown> extends Operation {
  run(input: { body: Body; query: Query; actor: Actor }): Promise<OperationResult<Data>>
}

interface OwnerOperationParts extends ProofParts {
  database: Database
  clientInfoOf: ReadClientInfo
}

/** Defines an operation for owners. One that `destroys` something needs a recent proof of identity. */
export function ownerOperation<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  parts: OwnerOperationParts,
  {
    destroys = false,
    run,
    refusals = [],
    ...contract
  }: Contract<Body, Query, Data> & {
    destroys?: boolean
    run(call: Omit<Call<Body, Query>, 'request'> & { actor: Actor }): Promise<OperationResult<Static<Data>>>
  },
): OwnerOperation<Static<Body>, Static<Query>, Static<Data>> {
  return {
    ...contract,
    access: 'owner',
    refusals: [reauthenticationRequired, ...refusals],
    async handle({ body, query, request, caller }) {
      if (destroys) await requireRecentProof(parts.database.query, parts, caller)
      const actor = { caller, request, clientInfo: parts.clientInfoOf(request) }
      return run({ body: body as Static<Body>, query: query as Static<Query>, actor })
    },
    run,
  } as OwnerOperation<Static<Body>, Static<Query>, Static<Data>>
}
