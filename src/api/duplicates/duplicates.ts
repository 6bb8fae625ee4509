import { z } from 'zod';
import {
  resolveDuplicates as resolve,
  type ResolvedDuplicates,
} from '../../commands/duplicates/resolve-duplicates.ts';
import { resolutions } from '../../domain/duplicates/events.ts';
import {
  clusterStates,
  listDuplicates as list,
  type ShownCluster,
} from '../../queries/duplicates/list-duplicates.ts';
import { position } from '../example-values.ts';
import { defaultLimit, pageFields, positionField, waitFields } from '../fields.ts';
import { memoryExample } from '../memories/examples.ts';
import { writers } from '../memories/roles.ts';
import { operation } from '../operation.ts';
import { spaceReaders } from '../spaces/space.ts';

const clusterSchema = z
  .object({
    id: z.string(),
    space: z.string(),
    representative: z.string().meta({
      description:
        'The memory that the others are compared with: the oldest, until somebody chooses another one',
    }),
    members: z.array(
      z.object({
        id: z.string(),
        similarity: z.number().meta({
          description: 'To the first representative, 0 to 1, on the scale of `semanticSimilarityThreshold`',
        }),
      }),
    ),
    resolution: z.enum(resolutions).meta({
      description:
        '`manual`: nobody has decided yet. `keep_all`: they are no duplicates. `keep_representative`: the others were deleted',
    }),
  })
  .meta({ id: 'DuplicateCluster' });

const other = '019a5b3c-7d20-7c3e-9a10-4f5e6d7c8b9a';
export const clusterExample = {
  id: '019a5b3c-7d21-7000-8000-0242ac120002',
  space: 'notes',
  representative: memoryExample.id,
  members: [
    { id: memoryExample.id, similarity: 1 },
    { id: other, similarity: 0.978 },
  ],
  resolution: 'manual' as const,
};

export const listDuplicates = operation({
  name: 'listDuplicates',
  summary: 'List the clusters of memories that say the same, as far as you see the memories',
  area: 'Spaces',
  input: z.strictObject({
    space: z.string().optional().meta({ description: 'Only clusters of this space' }),
    state: z.enum(clusterStates).optional().meta({
      description: '`open`: nobody has decided about it. `resolved`: somebody has. Default: both',
    }),
    memory: z.string().optional().meta({ description: 'Only clusters with the memory of this id' }),
    ...pageFields,
    ...waitFields,
  }),
  output: z.object({
    items: z.array(clusterSchema),
    nextCursor: z.string().optional(),
    position: positionField,
  }),
  examples: { input: { space: 'notes', state: 'open' }, output: { items: [clusterExample], position } },
  access: spaceReaders,
  reads: 'read-models',
  awaitsOwn: ['duplicates', 'memories'],
  audit: { what: 'duplicates', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { space, state, memory, cursor, limit = defaultLimit } = input;
    const found = await list(services.models, caller, { space, state, memory, cursor, limit, wait });
    const items = found.items.map((cluster) => ({ ...cluster, members: [...cluster.members] }));
    return {
      output: { items, nextCursor: found.nextCursor, position: token(found.position) },
      read: { items: items.length },
    };
  },
});

const body = z
  .strictObject({
    resolution: z.enum(resolutions).meta({
      description:
        '`keep_all`: they are no duplicates, and do not come back as a cluster. `keep_representative`: soft-delete the others. `manual`: take the last decision back; what it deleted is restored',
    }),
    representative: z.string().optional().meta({
      description:
        'Id of the member to keep, for `keep_representative`. Default: the representative of the cluster',
    }),
  })
  .meta({ id: 'ResolveDuplicates' });

export const resolveDuplicates = operation({
  name: 'resolveDuplicates',
  summary: 'Decide about memories that say the same, or take the decision back',
  area: 'Spaces',
  input: body.extend({ id: z.string() }),
  output: z.object({ cluster: clusterSchema, position: positionField }),
  examples: {
    input: { id: clusterExample.id, resolution: 'keep_representative', representative: other },
    output: {
      cluster: { ...clusterExample, representative: other, resolution: 'keep_representative' },
      position,
    },
  },
  access: writers,
  command: { scope: ({ id }) => ['POST', `/v1/duplicates/${id}/resolve`], arguments: body },
  async handle({ context, input: { id: clusterId, resolution, representative }, services, token }) {
    const resolved = await resolve(services.commands, context, { clusterId, resolution, representative });
    return {
      output: { cluster: viewOf(resolved), position: token(resolved.position) },
      replayed: resolved.replayed,
    };
  },
});

function viewOf({
  cluster,
  members,
}: ResolvedDuplicates): ShownCluster & { members: { id: string; similarity: number }[] } {
  const { id, space, representative, resolution } = cluster;
  const shown = members.map(({ state }) => ({
    id: state.value.id,
    similarity: cluster.members.get(state.value.id)!,
  }));
  return { id, space, representative, resolution, members: shown };
}
