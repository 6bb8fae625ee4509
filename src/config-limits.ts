import { availableParallelism } from 'node:os';
import type { z } from 'zod';
import { integer } from './config-values.ts';
import type { Ceilings } from './domain/admission/ceilings.ts';
import type { TurnOptions } from './domain/admission/turn-options.ts';

/** A setting of how many calls of one kind a credential may have under way. */
const ceiling = (usual: number, what: string) =>
  integer(1, 100_000)
    .default(usual)
    .describe(
      `Number of ${what} that a credential may have under way in a process; further ones are answered with 429`,
    );

/** Environment variables of what one process takes on. The limits of tenants are settings of the API. */
export const limitSettings = {
  STRATALOG_WORKING_REQUESTS: integer(1, 1_000)
    .optional()
    .describe(
      'Searches, lists and contexts that a process works on at a time; others wait for their turn. Default: one more than cores, at least 3; with servers behind it, four per core',
    ),
  STRATALOG_WAITING_REQUESTS: integer(1, 100_000)
    .default(2_000)
    .describe('Requests that may wait for their turn in a process; further ones are answered with 503'),
  STRATALOG_MAX_WAIT: integer(1, 60)
    .default(30)
    .describe(
      'Seconds that a request may wait for its turn. One that would wait longer, by estimate, is answered with 503 at once',
    ),
  STRATALOG_MAX_LARGE_SEARCHES: ceiling(
    128,
    'searches with `topK` above 250 or a question of more than 4,000 characters',
  ),
  STRATALOG_MAX_PAST_READS: ceiling(64, 'reads as of the past'),
  STRATALOG_MAX_CONTEXTS: ceiling(128, 'contexts'),
  STRATALOG_MAX_MULTI_HOPS: ceiling(64, 'multi-hop searches'),
  STRATALOG_MAX_BULK_STORES: ceiling(64, 'bulk stores'),
  STRATALOG_MAX_AUDIT_EXPORTS: ceiling(8, 'exports of the audit trail'),
  STRATALOG_MAX_FOLLOWED_AUDITS: ceiling(64, 'followed audit trails'),
  STRATALOG_MAX_VECTOR_LAG: integer(100, 100_000_000)
    .default(20_000)
    .describe(
      'Events by which the vectors may lag behind the log. Beyond it, the lines of bulk stores are taken as fast as vectors are made',
    ),
};

type Values = z.infer<z.ZodObject<typeof limitSettings>> & { readonly STRATALOG_PROFILE: string };

export function turnsOf(values: Values): TurnOptions {
  const cores = availableParallelism();
  const isAlone = values.STRATALOG_PROFILE === 'embedded';
  const places = values.STRATALOG_WORKING_REQUESTS ?? (isAlone ? Math.max(3, cores + 1) : 4 * cores);
  return {
    places,
    heavyPlaces: Math.max(1, Math.floor(places / 4)),
    maxWaiting: values.STRATALOG_WAITING_REQUESTS,
    maxWaitMs: values.STRATALOG_MAX_WAIT * 1_000,
  };
}

export function ceilingsOf(values: Values): Ceilings {
  return {
    largeSearch: values.STRATALOG_MAX_LARGE_SEARCHES,
    past: values.STRATALOG_MAX_PAST_READS,
    context: values.STRATALOG_MAX_CONTEXTS,
    multiHop: values.STRATALOG_MAX_MULTI_HOPS,
    bulk: values.STRATALOG_MAX_BULK_STORES,
    auditExport: values.STRATALOG_MAX_AUDIT_EXPORTS,
    followedAudit: values.STRATALOG_MAX_FOLLOWED_AUDITS,
  };
}
