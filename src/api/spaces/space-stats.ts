import { z } from 'zod';
import { unknownSpace } from '../../commands/spaces/configure-space.ts';
import { identifier, layerSchema } from '../../domain/layers.ts';
import { spaceFieldsSchema } from '../../domain/spaces/space-config.ts';
import type { Spaces } from '../../domain/spaces/spaces.ts';
import { readSpaceStats, type RetentionDays } from '../../queries/space-stats.ts';
import { countWithoutVector } from '../../queries/space-vectors.ts';
import { at, position } from '../example-values.ts';
import { waitFields } from '../fields.ts';
import { operation, type Call } from '../operation.ts';
import { isCountedWhole, spaceReaders } from './space.ts';

const count = z.int().nonnegative();
const time = z.iso.datetime();
const counts = {
  active: count,
  archived: count,
  deleted: count,
  characters: count,
  bytes: count.meta({ description: 'Bytes of UTF-8 of the active memories' }),
};

const spaceStatsSchema = z
  .object({
    space: z.string(),
    configured: z.boolean(),
    coverage: z.enum(['tenant', 'visible']).meta({
      description: 'Whether the figures cover the whole tenant or only what the caller can see',
    }),
    total: z.object(counts),
    layers: z.array(z.object({ layer: layerSchema, ...counts })),
    quota: z
      .object({ limitBytes: count, usedBytes: count, freeBytes: count })
      .optional()
      .meta({ description: 'Only for a space with `maxSizeMb`, and for figures of the whole tenant' }),
    embedding: z
      .object({
        model: z.string(),
        waiting: count.meta({ description: 'Active memories that have no vector of the model yet' }),
      })
      .optional()
      .meta({ description: 'Only for a space that names an `embeddingModel` which the server has' }),
    oldestAt: time.optional().meta({ description: 'When the oldest memory that is not deleted was stored' }),
    newestAt: time.optional(),
    kept: count.meta({ description: 'Memories with `retention: "keep"`' }),
    expiring: count.meta({ description: 'Memories that `expiresAt` deletes one day' }),
    nextExpiryAt: time.optional(),
    access: z.object({
      total: count,
      memories: count,
      neverUsed: count.meta({ description: 'Memories that no search and no context has returned' }),
      lastAt: time.optional(),
    }),
    retention: z.object({ days: z.int(), memories: count, bytes: count }).optional().meta({
      description:
        'What the retention of the space would delete now, or what the one in `retentionDays` would',
    }),
    lag: z.object({
      events: count.meta({ description: 'Events of the log that are not counted yet' }),
    }),
    position: z.string(),
  })
  .meta({ id: 'SpaceStats' });

const exampleCounts = { active: 118, archived: 2, deleted: 5, characters: 47_900, bytes: 48_210 };

export const spaceStats = operation({
  name: 'spaceStats',
  summary: 'Show the figures of a space, and what its retention, or another one, would delete now',
  area: 'Spaces',
  input: z.strictObject({
    spaceId: identifier,
    retentionDays: spaceFieldsSchema.shape.retentionDays.meta({
      description: 'Show what this retention would delete, before it is configured',
    }),
    ...waitFields,
  }),
  output: spaceStatsSchema,
  examples: {
    input: { spaceId: 'notes', retentionDays: 90 },
    output: {
      space: 'notes',
      configured: true,
      coverage: 'tenant',
      total: exampleCounts,
      layers: [{ layer: 'team', ...exampleCounts }],
      quota: { limitBytes: 100_000_000, usedBytes: 48_210, freeBytes: 99_951_790 },
      embedding: { model: 'bge-small-en-v1.5', waiting: 3 },
      oldestAt: at,
      newestAt: at,
      kept: 3,
      expiring: 1,
      nextExpiryAt: at,
      access: { total: 40, memories: 9, neverUsed: 111, lastAt: at },
      retention: { days: 90, memories: 12, bytes: 4_100 },
      lag: { events: 0 },
      position,
    },
  },
  access: spaceReaders,
  reads: 'read-models',
  awaitsOwn: ['memories', 'statistics'],
  cost: () => 3,
  audit: { what: 'space', when: 'always' },
  async handle(call) {
    const { caller, services, token, wait } = call;
    const { spaceId, retentionDays } = call.input;
    const spaces = await services.commands.spaces.current(caller.tenant);
    const config = spaces.configured.get(spaceId)?.config;
    const days = retentionDays ?? config?.retentionDays;
    const {
      over,
      position: counted,
      ...stats
    } = await readSpaceStats(services.models, caller, {
      space: spaceId,
      retention: retentionWith(spaces, spaceId, days),
      now: services.commands.clock.now(),
      wait,
    });
    const { total, coverage } = stats;
    if (!config && total.active + total.archived + total.deleted === 0) throw unknownSpace();
    const head = await services.commands.store.log.head();
    const embedding = await embeddingOf(call, config?.embeddingModel);
    const limitBytes = config?.maxSizeMb === undefined ? undefined : Math.floor(config.maxSizeMb * 1e6);
    const output = {
      space: spaceId,
      configured: config !== undefined,
      ...withTexts(stats),
      ...(limitBytes !== undefined &&
        coverage === 'tenant' && {
          quota: {
            limitBytes,
            usedBytes: total.bytes,
            freeBytes: Math.max(0, limitBytes - total.bytes),
          },
        }),
      ...(embedding && { embedding }),
      ...(days !== undefined && { retention: { days, ...over } }),
      lag: { events: Math.max(0, head - counted) },
      position: token(counted),
    };
    return { output, ...(isCountedWhole(call) && { read: { items: 1 } }) };
  },
});

async function embeddingOf(
  {
    caller,
    services: { embedders, models },
    input: { spaceId: space },
    wait,
  }: Call<{ readonly spaceId: string }>,
  name: string | undefined,
) {
  const model = name === undefined ? undefined : embedders.find(name);
  if (!model) return undefined;
  const waiting = await countWithoutVector(models, caller, { space, model: model.id, wait });
  return { model: model.name, waiting };
}

/** The retention of all spaces, with `days` for this one. */
function retentionWith({ configured }: Spaces, spaceId: string, days: number | undefined): RetentionDays {
  const all = new Map<string, number>();
  for (const [id, { config }] of configured)
    if (config.retentionDays !== undefined) all.set(id, config.retentionDays);
  if (days !== undefined) all.set(spaceId, days);
  return all;
}

type WithTexts<T> = {
  [K in keyof T]: T[K] extends Date | undefined ? string : T[K] extends object ? WithTexts<T[K]> : T[K];
};

/** Times as RFC 3339. */
function withTexts<T extends object>(value: T): WithTexts<T> {
  return JSON.parse(JSON.stringify(value)) as WithTexts<T>;
}
