import { z } from 'zod';
import { hasRole } from '../../domain/access/context.ts';
import { defaultSpace, spaceConfigSchema, type SpaceConfig } from '../../domain/spaces/space-config.ts';
import type { SpaceSpending } from '../../domain/ledger/space-budgets.ts';
import type { Space } from '../../domain/spaces/spaces.ts';
import { readSpaceSizes, type SpaceSize } from '../../queries/spaces.ts';
import { at, position } from '../example-values.ts';
import { readers } from '../memories/roles.ts';
import type { Call, RoleAccess } from '../operation.ts';
import type { Services } from '../services.ts';
import { missingModels, modelFields } from './space-models.ts';

export const spaceAdmins: RoleAccess = {
  roles: ['admin'],
  refusal: 'configuring spaces needs the role admin',
};

/** Operators see no names of spaces. */
export const spaceReaders: RoleAccess = {
  roles: readers,
  refusal: 'the role operator sees no spaces',
};

const count = z.int().nonnegative();

const dollars = z.number().nonnegative().optional();

/** Shown to admins and auditors, of configured spaces. */
const spendingFields = {
  spentTodayUsd: dollars.meta({ description: 'US dollars that models have cost for it today, in UTC' }),
  spentThisMonthUsd: dollars.meta({
    description: 'US dollars that models have cost for it this month, in UTC',
  }),
  exhaustedUntil: z.iso.datetime().optional().meta({
    description:
      'Until when its budget is used up: vectors of its memories wait for this time, or for a larger budget',
  }),
};

/** A space as the API shows it. */
export const spaceSchema = spaceConfigSchema
  .extend({
    id: z.string(),
    configured: z.boolean().meta({ description: 'Whether it has a configuration of its own' }),
    revision: z.int().meta({ description: 'Its ETag; -1 for a space that is not configured' }),
    updatedAt: z.iso.datetime().optional(),
    missingModels: z.array(z.enum(modelFields)).optional().meta({
      description:
        'Fields that name a model which the server does not have, as that of a preset: the models of the server are used instead',
    }),
    usage: z.object({
      memories: count.meta({ description: 'Active memories, as far as the caller sees them' }),
      bytes: count.meta({ description: 'Bytes of UTF-8 of their contents' }),
      ...spendingFields,
    }),
  })
  .meta({ id: 'Space' });

export type SpaceView = z.output<typeof spaceSchema>;

type SpaceUsage = SpaceSize & Partial<SpaceSpending>;

const nothing: SpaceSize = { memories: 0, bytes: 0 };

export function viewOfSpace(
  services: Pick<Services, 'embedders' | 'languageModels'>,
  id: string,
  space: Space | undefined,
  usage: SpaceUsage = nothing,
): SpaceView {
  const config = space?.config ?? defaultSpace;
  const missing = missingModels(services, config);
  return {
    id,
    ...config,
    ...(missing.length > 0 && { missingModels: missing }),
    configured: space !== undefined,
    revision: space?.revision ?? -1,
    ...(space && { updatedAt: space.updatedAt }),
    usage,
  };
}

/** What the spaces hold, as far as the caller sees it, and what they have spent, for those who see the figures of the whole tenant. */
export async function usageFor(
  call: Call<unknown>,
): Promise<{ readonly of: ReadonlyMap<string, SpaceUsage>; readonly position: number }> {
  const { caller, services, wait } = call;
  const sizes = await readSpaceSizes(services.models, caller, wait);
  if (!isCountedWhole(call)) return sizes;
  const { configured } = await services.commands.spaces.current(caller.tenant);
  const of = new Map<string, SpaceUsage>(sizes.of);
  for (const [id, spending] of await services.ledger.spending(caller.tenant, [...configured.values()]))
    of.set(id, { ...nothing, ...of.get(id), ...spending });
  return { of, position: sizes.position };
}

/** Whether the whole tenant is counted for the caller, so that reading it is audited. */
export function isCountedWhole({ caller }: Call<unknown>): boolean {
  return hasRole(caller, 'admin', 'auditor');
}

export const configExample = {
  acceptedTypes: ['note', 'solution'],
  retentionDays: 365,
  maxSizeMb: 100,
  temporalDecayRate: 0.5,
} satisfies z.input<typeof spaceConfigSchema>;

const config: SpaceConfig = spaceConfigSchema.parse(configExample);

export const spaceExample = {
  id: 'notes',
  ...config,
  configured: true,
  revision: 3,
  updatedAt: at,
  usage: { memories: 120, bytes: 48_210, spentTodayUsd: 0.021, spentThisMonthUsd: 0.84 },
};

export const spaceAnswerSchema = z.object({ space: spaceSchema, position: z.string() });
export const spaceAnswerExample = { space: spaceExample, position };
