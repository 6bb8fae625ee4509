import { z } from 'zod';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { waitFields } from '../fields.ts';
import { withPluralNames } from '../filter-names.ts';
import { searchedModels } from '../../queries/search/search.ts';
import { operation } from '../operation.ts';
import { inChosenSpaces, spaceChoiceField, withSpaceList } from './chosen-spaces.ts';
import { multiHopBodyExample, multiHopExample } from './examples.ts';
import {
  searchCost,
  searchFields,
  searchRegion,
  timeOfAsking,
  searchResultSchema,
  warningsSchema,
  withContent,
} from './fields.ts';
import { readers } from '../memories/roles.ts';

const maxQueries = 50;

const budget = z
  .strictObject({
    queries: z
      .int()
      .min(1)
      .max(maxQueries)
      .default(maxQueries)
      .meta({ description: 'Maximum number of searches and link traversals' }),
    wallMs: z
      .int()
      .min(10)
      .max(60_000)
      .default(5_000)
      .meta({ description: 'Maximum total time, in milliseconds' }),
  })
  .meta({ id: 'MultiHopBudget' });

const multiHopInput = z
  .strictObject({
    ...searchFields,
    depth: z
      .int()
      .min(1)
      .max(3)
      .default(3)
      .meta({ description: 'Maximum number of hops from the results of the first search' }),
    pathThreshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.02)
      .meta({ description: 'Minimum relevance of a path; a path that falls below it is not followed' }),
    linkTypes: z
      .array(linkTypeSchema)
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Types of the links to follow. Default: all' }),
    budget: budget.prefault({}),
    ...waitFields,
  })
  .meta({ id: 'MultiHop' });

const score = z.number().meta({ description: 'Probability that this step is relevant, 0 to 1' });

const step = z.discriminatedUnion('via', [
  z.object({ via: z.literal('search'), score }),
  z.object({
    via: z.literal('link'),
    type: linkTypeSchema,
    direction: z
      .enum(['outgoing', 'incoming'])
      .meta({ description: 'Direction of the link, as seen from the previous memory of the path' }),
    score,
  }),
  z.object({
    via: z.literal('mention'),
    names: z
      .array(z.object({ field: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) }))
      .meta({ description: 'Field values of this memory that the text of the previous memory mentions' }),
    score,
  }),
]);

const path = z
  .object({
    memories: z
      .array(z.string())
      .meta({ description: 'Ids of the memories, from the first match to the result' }),
    relevance: z.number().meta({ description: 'Product of the scores of the steps' }),
    steps: z.array(step).meta({ description: 'How each memory was reached' }),
  })
  .meta({ id: 'HopPath' });

/** Records the search and the accessed memories as events after the answer. */
export const multiHop = operation({
  name: 'multiHop',
  summary:
    'Search, then follow links and mentioned names to memories that the question itself does not match',
  area: 'Reasoning',
  input: multiHopInput,
  output: z
    .object({
      paths: z.array(path),
      results: z.array(searchResultSchema),
      searchId: z.string(),
      position: z.string(),
      spaces: spaceChoiceField,
      warnings: warningsSchema,
    })
    .meta({ id: 'MultiHopAnswer' }),
  examples: { input: multiHopBodyExample, output: multiHopExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: searchedModels,
  cost: (input) => 3 * searchCost(input),
  shape: () => 'multiHop',
  async handle({ caller, context, input, services, wait, token }) {
    const { minPosition: _, waitMs: __, filter, scope, now, content, ...rest } = input;
    const region = searchRegion(caller, { scope, filter }, { isAsOf: false });
    const request = await inChosenSpaces(services, caller, input.spaces, {
      ...withPluralNames(withSpaceList(rest)),
      ...region,
      ...timeOfAsking(now),
      ...wait,
      filterAsSent: filter,
    });
    const { fact, position, paths, results, ...answer } = await services.multiHop.search(caller, request);
    services.facts.record({ ...fact, context });
    const shown = paths.map(({ relevance, steps }) => ({
      memories: steps.map(({ memoryId }) => memoryId),
      relevance,
      steps: steps.map(({ memoryId: _, ...taken }) => taken),
    }));
    return {
      output: {
        paths: shown,
        ...answer,
        results: withContent(results, content),
        position: token(position),
        ...(request.spaceChoice && { spaces: request.spaceChoice }),
      },
    };
  },
});
