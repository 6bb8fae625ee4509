import { z } from 'zod';
import { searchShape } from '../../domain/admission/ceilings.ts';
import { asOfField, waitFields } from '../fields.ts';
import { withPluralNames } from '../filter-names.ts';
import { searchedModels } from '../../queries/search/search.ts';
import { decorated } from '../memories/decorated.ts';
import type { SpaceChoice } from '../../domain/retrieval/space-choice.ts';
import type { RoutedAnswer } from '../../queries/routing/routed-search.ts';
import type { SearchExplanation } from '../../queries/search/explanation.ts';
import { operation, type Call } from '../operation.ts';
import { inChosenSpaces, spaceChoiceField, withSpaceList } from './chosen-spaces.ts';
import { recordAnswer } from './record-answer.ts';
import { searchBodyExample, searchExample } from './examples.ts';
import {
  searchFieldHints,
  searchCost,
  searchFields,
  searchRegion,
  timeOfAsking,
  searchResultSchema,
  warningsSchema,
  withContent,
} from './fields.ts';
import { readers } from '../memories/roles.ts';

export const searchInput = z
  .strictObject({
    ...searchFields,
    threshold: z.number().min(0).max(1).optional().meta({
      description:
        'Minimum `score` of a result, 0 to 1. If omitted, only the best results are returned, and none if nothing answers the question',
    }),
    order: z.enum(['precedence', 'relevance', 'layer']).default('precedence').meta({
      description:
        'Order of the results. `relevance`: by score. `precedence`: by score, but of two results about the same thing, the one of the more specific layer, or else the newer one, comes directly before the other. `layer`: most specific layer first',
    }),
    includeSuperseded: z.boolean().default(true).meta({
      description:
        'Whether to include superseded memories, which then follow the memories that supersede them',
    }),
    asOf: asOfField,
    mode: z.enum(['standard']).optional(),
    ...waitFields,
  })
  .meta({ id: 'Search' });

/** Records the search and the accessed memories as events after the answer. */
export const search = operation({
  name: 'search',
  summary: 'Search the memories that the caller can see',
  area: 'Search',
  input: searchInput,
  fieldHints: searchFieldHints,
  output: z
    .object({
      results: z.array(searchResultSchema),
      searchId: z.string(),
      position: z.string(),
      spaces: spaceChoiceField,
      warnings: warningsSchema,
    })
    .meta({ id: 'SearchAnswer' }),
  examples: { input: searchBodyExample, output: searchExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: searchedModels,
  cost: searchCost,
  shape: (input) => searchShape(input),
  async handle(call) {
    const { caller, input, services, token } = call;
    const { answer, spaceChoice } = await searchFor(call);
    const { position, searchId, warnings } = answer;
    const memories = await decorated(
      services,
      caller,
      answer.results.map(({ memory }) => memory),
    );
    const results = answer.results.map((result, at) => ({ ...result, memory: memories[at]! }));
    return {
      output: {
        searchId,
        warnings,
        results: withContent(results, input.content),
        position: token(position),
        ...(spaceChoice && { spaces: spaceChoice }),
      },
    };
  },
});

/** Searches and records the answer. `explanation` collects how the search arrives at it. */
export async function searchFor(
  { caller, context, input, services, asOf, wait }: Call<z.output<typeof searchInput>>,
  explanation?: SearchExplanation,
): Promise<{ readonly answer: RoutedAnswer; readonly spaceChoice: SpaceChoice | undefined }> {
  const { minPosition: _, waitMs: __, filter, scope, mode, now, content: ___, ...rest } = input;
  const region = searchRegion(caller, { scope, filter }, { isAsOf: asOf !== undefined });
  const request = await inChosenSpaces(services, caller, input.spaces, {
    ...withPluralNames(withSpaceList(rest)),
    ...region,
    ...timeOfAsking(now),
    asOf,
    ...wait,
  });
  const answer = await services.search.search(
    caller,
    { ...request, explanation },
    { asksForStandard: mode === 'standard', filterAsSent: filter },
  );
  recordAnswer(services, context, { fact: answer.fact, later: answer.later });
  return { answer, spaceChoice: request.spaceChoice };
}
