import { z } from 'zod';
import { roles } from '../access/context.ts';

/** The default burst is what the rate allows in this many seconds. */
const burstSeconds = 10;

/** Limit of one credential, or of all of a tenant. */
export const limitSchema = z
  .strictObject({
    unitsPerSecond: z.number().min(0.01).max(1_000_000).optional().meta({
      description: 'Work that it may ask for each second. One unit is the work of a plain search',
    }),
    burst: z
      .number()
      .min(1)
      .max(10_000_000)
      .optional()
      .meta({ description: 'Work that it may ask for at once after a pause. Default: that of ten seconds' }),
    concurrency: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .meta({ description: 'Requests that it may have under way, waiting ones among them' }),
  })
  .refine(({ unitsPerSecond, burst }) => unitsPerSecond !== undefined || burst === undefined, {
    path: ['burst'],
    message: 'needs unitsPerSecond',
  })
  .meta({ id: 'Limit' });

export type Limit = z.infer<typeof limitSchema>;

/** What the callers of one tenant may ask for. Without a limit, only the fair queue of the process holds them back. */
export const limitsSchema = z
  .strictObject({
    perKey: limitSchema.optional().meta({ description: 'Limit of each credential' }),
    perTenant: limitSchema
      .optional()
      .meta({ description: 'Limit of all credentials of the tenant together' }),
    byRole: z.partialRecord(z.enum(roles), limitSchema).optional().meta({
      description:
        'Limit of each credential of a role, in place of perKey. A credential with several roles gets the limit of the first that is named here',
    }),
  })
  .meta({ id: 'Limits' });

export type Limits = z.infer<typeof limitsSchema>;

export const noLimits: Limits = {};

/** The limit of a credential with these roles. */
export function limitOf(
  { perKey, byRole = {} }: Limits,
  held: readonly (keyof NonNullable<Limits['byRole']>)[],
): Limit {
  const named = roles.find((role) => held.includes(role) && byRole[role]);
  return (named && byRole[named]) ?? perKey ?? {};
}

/** The bucket of a limit; undefined if it has no rate. */
export function bucketOf({
  unitsPerSecond,
  burst,
}: Limit): { unitsPerSecond: number; burst: number } | undefined {
  return unitsPerSecond === undefined
    ? undefined
    : { unitsPerSecond, burst: burst ?? Math.max(1, unitsPerSecond * burstSeconds) };
}
