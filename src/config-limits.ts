import { availableParallelism } from 'node:os';
import type { z } from 'zod';
import { integer } from './config-values.ts';
import type { TurnOptions } from './domain/admission/turn-options.ts';

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
