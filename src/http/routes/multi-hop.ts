import { z } from 'zod';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { positionToken } from '../../domain/position.ts';
import { readWait, waitFields } from '../parameters.ts';
import { route } from '../route.ts';
import { readReach, searchFields, searchResultSchema, warningsSchema } from '../search-fields.ts';
import { multiHopBodyExample, multiHopExample } from './examples.ts';

const mostQueries = 50;

const budget = z
  .strictObject({
    queries: z
      .int()
      .min(1)
      .max(mostQueries)
      .default(mostQueries)
      .meta({ description: 'Searches and walks over links' }),
    wallMs: z.int().min(10).max(60_000).default(5_000).meta({ description: 'Milliseconds for all of it' }),
  })
  .meta({ id: 'MultiHopBudget' });

const multiHopInput = z
  .strictObject({
    ...searchFields,
    depth: z.int().min(1).max(3).default(3).meta({ description: 'Hops from what the search finds' }),
    pathThreshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.02)
      .meta({ description: 'A path ends when its relevance falls below it' }),
    linkTypes: z.array(linkTypeSchema).min(1).max(20).optional().meta({ description: 'Default: all' }),
    budget: budget.prefault({}),
    ...waitFields,
  })
  .meta({ id: 'MultiHop' });

const score = z.number().meta({ description: 'How probable it is that this step leads on' });

const step = z.discriminatedUnion('via', [
  z.object({ via: z.literal('search'), score }),
  z.object({
    via: z.literal('link'),
    type: linkTypeSchema,
    direction: z.enum(['outgoing', 'incoming']).meta({ description: 'Seen from the memory before it' }),
    score,
  }),
  z.object({
    via: z.literal('mention'),
    names: z
      .array(z.object({ field: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) }))
      .meta({ description: 'What the text of the memory before it names, and this one holds' }),
    score,
  }),
]);

const path = z
  .object({
    memories: z.array(z.string()).meta({ description: 'Ids, from the first match to the result' }),
    relevance: z.number().meta({ description: 'The product of the scores of its steps' }),
    steps: z.array(step).meta({ description: 'How each of the memories was reached' }),
  })
  .meta({ id: 'HopPath' });

export const multiHopRoute = route({
  method: 'post',
  path: '/v1/reasoning/multi-hop',
  operationId: 'multiHop',
  summary: 'Search, and follow links and what texts name to what the question does not resemble',
  tag: 'Reasoning',
  body: multiHopInput,
  bodyExample: multiHopBodyExample,
  responses: {
    200: {
      description: 'Results, most relevant first, and the path to each in the same order',
      example: multiHopExample,
      schema: z
        .object({
          paths: z.array(path),
          results: z.array(searchResultSchema),
          searchId: z.string(),
          position: z.string(),
          warnings: warningsSchema,
        })
        .meta({ id: 'MultiHopAnswer' }),
    },
  },
  async handle({ caller, context, body }, services) {
    const { store } = services.commands;
    const { minPosition, waitMs, filter, scope, ...rest } = body;
    const request = {
      ...rest,
      ...readReach(caller, { scope, filter }),
      ...readWait(store, { minPosition, waitMs }),
      filterAsSent: filter,
    };
    const { fact, position, paths, results, searchId, warnings } = await services.multiHop.search(
      caller,
      request,
    );
    services.facts.record({ ...fact, context });
    const shown = paths.map(({ relevance, steps }) => ({
      memories: steps.map(({ memoryId }) => memoryId),
      relevance,
      steps: steps.map(({ memoryId: _, ...taken }) => taken),
    }));
    const token = positionToken(store.log.logId, position);
    return { status: 200, body: { paths: shown, results, searchId, position: token, warnings } };
  },
});
