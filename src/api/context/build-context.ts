import { z } from 'zod';
import { layerSchema } from '../../domain/layers.ts';
import { contextItemKinds, leftOutReasons } from '../../domain/retrieval/events.ts';
import { asOfField, waitFields } from '../fields.ts';
import { withPluralNames } from '../filter-names.ts';
import { operation } from '../operation.ts';
import { searchFields, searchRegion, timeOfAsking, warningsSchema } from '../search/fields.ts';
import { search } from '../search/search.ts';
import { contextBodyExample, contextExample } from './examples.ts';

const { query, layers, layer, scope, spaces, space, sessionId, now } = searchFields;
const { threshold } = search.input.shape;

const item = z
  .object({
    kind: z
      .enum(contextItemKinds)
      .meta({ description: 'A whole memory, a passage of a long one, or a recent turn of the session' }),
    id: z.string().meta({ description: 'Of the memory' }),
    externalId: z.string().optional(),
    layer: layerSchema,
    tokens: z.int().meta({ description: 'Of its line in the text, with mark and notes' }),
    citation: z.string().meta({ description: 'The mark, and which memory it stands for, in words' }),
    text: z.string().meta({ description: 'Verbatim from the memory' }),
    start: z.int().optional().meta({
      description: 'Where a passage begins in the content of its memory, in UTF-16 units',
    }),
    end: z.int().optional().meta({ description: 'Where it ends, exclusive' }),
  })
  .meta({ id: 'ContextItem' });

/** Records the search, the context and the memories in it as events after the answer. */
export const buildContext = operation({
  name: 'context',
  summary: 'Build the best text about a question that fits into a token budget, with its sources',
  area: 'Search',
  input: z
    .strictObject({
      query,
      tokenBudget: z.int().min(1).meta({
        description: 'Most tokens of the text, counted with o200k_base. Above 200,000 it means 200,000',
      }),
      threshold: threshold.meta({
        description:
          'Least `score` of a memory. Without one: .7, and nothing at all if nothing answers the question',
      }),
      layers,
      layer,
      scope,
      spaces,
      space,
      sessionId: sessionId.meta({
        description:
          'The session in which is asked: its recent turns come first, in up to a quarter of the budget',
      }),
      now,
      asOf: asOfField,
      ...waitFields,
    })
    .meta({ id: 'Context' }),
  output: z
    .object({
      text: z.string().meta({ description: 'Each item behind its mark `[n]`; empty if there is none' }),
      tokenCount: z.int().meta({ description: 'Of `text`; never more than `tokenBudget`' }),
      tokenizer: z.string(),
      items: z.array(item).meta({ description: 'In the order of their marks: the first is `[1]`' }),
      leftOut: z
        .array(z.object({ id: z.string(), reason: z.enum(leftOutReasons) }))
        .meta({ description: 'Memories that were found and are not in the text, and why' }),
      searchId: z.string(),
      position: z.string(),
      warnings: warningsSchema,
    })
    .meta({ id: 'ContextAnswer' }),
  examples: { input: contextBodyExample, output: contextExample },
  access: 'every-caller',
  reads: 'read-models',
  async handle({ caller, context, input, services, asOf, wait, token }) {
    const { minPosition: _, waitMs: __, scope, now, ...rest } = input;
    const region = searchRegion(caller, { scope }, { isAsOf: asOf !== undefined });
    const request = { ...withPluralNames(rest), ...region, ...timeOfAsking(now), asOf, ...wait };
    const { fact, later, position, ...answer } = await services.contexts.build(caller, request);
    services.facts.record({ ...fact, context });
    later?.then(
      (follower) => services.facts.record({ ...follower, context, follows: true }),
      () => undefined,
    );
    return { output: { ...answer, position: token(position) } };
  },
});
