import { z } from 'zod';
import { searchShape } from '../../domain/admission/ceilings.ts';
import { representationKinds } from '../../domain/memory/content.ts';
import { trustSchema } from '../../domain/trust/trust.ts';
import { layerSchema } from '../../domain/layers.ts';
import { contextBlockKinds, contextItemKinds, leftOutReasons } from '../../domain/retrieval/events.ts';
import { invalid } from '../../domain/problems.ts';
import { searchedModels } from '../../queries/search/search.ts';
import { asOfField, waitFields } from '../fields.ts';
import { withPluralNames } from '../filter-names.ts';
import { operation } from '../operation.ts';
import { inChosenSpaces, spaceChoiceField, withSpaceList } from '../search/chosen-spaces.ts';
import { searchCost, searchFields, searchRegion, timeOfAsking, warningsSchema } from '../search/fields.ts';
import { recordAnswer } from '../search/record-answer.ts';
import { search } from '../search/search.ts';
import { personalScopes } from './summary-demand.ts';
import { position, searchId } from '../example-values.ts';
import { memoryExample, supersededExample } from '../memories/examples.ts';
import { readers } from '../memories/roles.ts';

const contextBodyExample = { query: 'When are releases cut?', tokenBudget: 400 };

const line = `[1] (2026-05-04, replaces what was noted on 2026-05-03) ${memoryExample.content}`;

const contextExample = {
  text: line,
  tokenCount: 35,
  tokenizer: 'o200k_base',
  items: [
    {
      kind: 'memory',
      id: memoryExample.id,
      externalId: memoryExample.externalId,
      layer: memoryExample.layer,
      tokens: 35,
      citation: `[1] team memory ${memoryExample.externalId}, 2026-05-04`,
      text: memoryExample.content,
    },
  ],
  leftOut: [{ id: supersededExample.id, reason: 'superseded' }],
  searchId,
  position,
  warnings: [],
};

const { query, layers, layer, scope, spaces, space, sessionId, now } = searchFields;
const { threshold } = search.input.shape;

const item = z
  .object({
    kind: z.enum([...contextItemKinds, ...contextBlockKinds]).meta({
      description:
        'Whether the item is a whole memory, a passage of a long memory, a recent turn of the session, a summary of a scope, or a profile of the user',
    }),
    id: z.string().meta({ description: 'Id of the memory; of a summary or a profile, id of the scope' }),
    externalId: z.string().optional(),
    layer: layerSchema,
    tokens: z
      .int()
      .meta({ description: 'Number of tokens of its line in `text`, including the mark and notes' }),
    citation: z.string().meta({ description: 'The mark, followed by a description of its source' }),
    trust: trustSchema.pick({ source: true, flags: true }).optional().meta({
      description:
        'Where the memory came from, and what rules noticed. Absent for what a user wrote and nothing is noticed about',
    }),
    text: z.string().meta({
      description:
        'Text of the item as it stands in the `text` of the context: from the memory, or the summary without its marks. Lines after the first are indented, and `[9]` in a stored text is `(9)`',
    }),
    representation: z.enum(representationKinds).optional().meta({
      description:
        'The representation that the text is from, where it matches the question better than the content',
    }),
    start: z.int().optional().meta({
      description:
        'Start of a passage, or of a turn that was cut, in the content or the representation of its memory, in UTF-16 units',
    }),
    end: z.int().optional().meta({ description: 'End of the passage, exclusive' }),
    sources: z
      .array(z.object({ id: z.string(), externalId: z.string().optional() }))
      .optional()
      .meta({ description: 'The memories that a summary or a profile was made from' }),
  })
  .meta({ id: 'ContextItem' });

/** Records the search, the context and the memories in it as events after the answer. */
export const buildContext = operation({
  name: 'context',
  summary: 'Build the most informative text about a question that fits into a token budget, with its sources',
  area: 'Search',
  input: z
    .strictObject({
      query,
      tokenBudget: z.int().min(1).meta({
        description:
          'Maximum number of tokens of the text, counted with o200k_base. Larger values than 200,000 are treated as 200,000',
      }),
      threshold: threshold.meta({
        description:
          'Minimum `score` of a memory, 0 to 1. If omitted, it is 0.7, and the text is empty if nothing answers the question',
      }),
      layers,
      layer,
      scope,
      spaces,
      space,
      sessionId: sessionId.meta({
        description:
          'Session in which the question is asked. Its recent turns come first and take up to a quarter of the budget',
      }),
      profile: z.boolean().optional().meta({
        description:
          'Whether the text begins with what is stably true of the user: of `scope.user`, or of the caller. It takes up to a fifth of the budget',
      }),
      now,
      asOf: asOfField,
      ...waitFields,
    })
    .meta({ id: 'Context' }),
  output: z
    .object({
      text: z.string().meta({ description: 'The items, each after its mark `[n]`; empty if there are none' }),
      tokenCount: z.int().meta({ description: 'Number of tokens of `text`; never more than `tokenBudget`' }),
      tokenizer: z.string(),
      items: z.array(item).meta({ description: 'Items in the order of their marks; the first is `[1]`' }),
      leftOut: z.array(z.object({ id: z.string(), reason: z.enum(leftOutReasons) })).meta({
        description: 'Memories that were found, and recent turns, that are not in the text, with the reason',
      }),
      searchId: z.string(),
      position: z.string(),
      spaces: spaceChoiceField,
      warnings: warningsSchema,
    })
    .meta({ id: 'ContextAnswer' }),
  examples: { input: contextBodyExample, output: contextExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: searchedModels,
  cost: (input) => 3 * searchCost(input),
  shape: (input) => searchShape(input, 'context'),
  async handle({ caller, context, input, services, asOf, wait, token }) {
    const { minPosition: _, waitMs: __, scope, now, ...rest } = input;
    assertProfiled(input);
    const region = searchRegion(caller, { scope }, { isAsOf: asOf !== undefined });
    const request = await inChosenSpaces(services, caller, input.spaces, {
      ...withPluralNames(withSpaceList(rest)),
      ...region,
      ...timeOfAsking(now),
      asOf,
      ...wait,
    });
    const { fact, later, position, matters, ...answer } = await services.contexts.build(caller, request);
    recordAnswer(services, context, { fact, later });
    if (asOf === undefined) services.demand.add(context, personalScopes(caller, request, matters));
    const { spaceChoice } = request;
    return {
      output: { ...answer, position: token(position), ...(spaceChoice && { spaces: spaceChoice }) },
    };
  },
});

/** Throws if a profile cannot be of what the request asks about. */
function assertProfiled({
  profile,
  spaces,
  space,
}: Pick<z.infer<typeof buildContext.input>, 'profile' | 'spaces' | 'space'>): void {
  if (!profile || (!spaces && space === undefined)) return;
  throw invalid('profile', 'must be left out with spaces: a profile is of all spaces');
}
