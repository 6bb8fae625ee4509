import { z } from 'zod';
import { externalIdSchema, identifier, layerSchema } from '../../domain/layers.ts';
import { parseFilter } from '../../domain/filter.ts';
import { memorySchema, memoryStates } from '../../domain/memory/view.ts';
import { listMemories as list, listOrders } from '../../queries/list-memories.ts';
import {
  asOfField,
  asRecorded,
  defaultLimit,
  filterField,
  pageFields,
  positionField,
  timeField,
  waitFields,
} from '../fields.ts';
import { withPluralNames } from '../filter-names.ts';
import { operation } from '../operation.ts';
import { memoriesExample } from './examples.ts';
import { decorated } from './decorated.ts';
import { includeQuarantinedField, withheldInList } from './withheld.ts';
import { readers } from './roles.ts';

export const listMemories = operation({
  name: 'listMemories',
  summary: 'List memories, newest or oldest first',
  area: 'Memories',
  input: z.strictObject({
    layer: z.array(layerSchema).min(1).optional(),
    space: z.array(identifier).min(1).optional(),
    tag: z.array(identifier).min(1).optional(),
    layers: z.array(layerSchema).min(1).optional().meta({ description: 'Alias of `layer`' }),
    spaces: z.array(identifier).min(1).optional().meta({ description: 'Alias of `space`' }),
    tags: z.array(identifier).min(1).optional().meta({ description: 'Alias of `tag`' }),
    externalId: externalIdSchema.optional(),
    state: z.enum(memoryStates).optional(),
    createdAfter: timeField,
    createdBefore: timeField,
    filter: filterField,
    includeQuarantined: includeQuarantinedField,
    asOf: asOfField,
    order: z
      .enum(listOrders)
      .optional()
      .meta({ description: 'Order by creation time. Default: newest first' }),
    ...pageFields,
    ...waitFields,
  }),
  output: z.object({
    items: z.array(memorySchema),
    nextCursor: z.string().optional(),
    position: positionField,
  }),
  examples: { input: { layer: ['team'], tag: ['release'] }, output: memoriesExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['memories'],
  cost: ({ asOf }) => (asOf === undefined ? 0.5 : 3),
  shape: ({ asOf }) => (asOf === undefined ? undefined : 'past'),
  audit: { what: 'memory list', when: 'watched' },
  async handle(call) {
    const { caller, input, services, asOf, wait, token } = call;
    const { minPosition: _, waitMs: __, includeQuarantined: ___, ...asked } = input;
    const { filter, limit = defaultLimit, ...rest } = withPluralNames(asked);
    const page = await list(services.models, caller, {
      ...rest,
      withheld: await withheldInList(call),
      filter: filter && parseFilter(filter, { isAsOf: asOf !== undefined }),
      asOf,
      limit,
      ...wait,
    });
    const { items, position } = page;
    const parameters = asRecorded({ ...asked, filter: filter && JSON.stringify(filter) });
    return {
      output: { ...page, items: await decorated(services, caller, items), position: token(position) },
      read: { items: items.length, memories: items, parameters },
    };
  },
});
