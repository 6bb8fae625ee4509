import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { roles } from '../access/context.ts';
import { limitSchema } from './limits.ts';

const limit = z.object(limitSchema.shape);

/** The limits of a tenant's callers from now on: all of them, not only those that changed. */
export const LimitsConfigured = defineEvent({
  type: 'LimitsConfigured',
  category: 'policy',
  version: 1,
  routing: z.object({
    limits: z.object({
      perKey: limit.optional(),
      perTenant: limit.optional(),
      byRole: z.partialRecord(z.enum(roles), limit).optional(),
    }),
  }),
  sealed: z.object({}),
});

export type LimitsEvent = EventOf<typeof LimitsConfigured>;
