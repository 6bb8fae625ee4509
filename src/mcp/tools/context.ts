import { z } from 'zod';
import { buildContext } from '../../api/context/build-context.ts';
import { spaceIdField } from './search.ts';
import { tool } from './tool.ts';

const { query, tokenBudget, sessionId, layers, profile } = buildContext.input.shape;

const answer = buildContext.output.shape;
/** An item without its text, which is in the text of the context. */
const source = answer.items.element.pick({ kind: true, id: true, layer: true, citation: true });

export const memoryBuildContext = tool({
  name: 'memory_build_context',
  title: 'Build a context',
  description:
    'Get what is remembered about a question as one text within a token budget: the best passages of many memories, without repetitions or outdated ones, then summaries of the layers that matter, each after a mark [n] that you can cite. Call it to read up on a subject; for single memories with scores, call memory_search.',
  input: z.strictObject({
    query: query.meta({ description: 'The question, in natural language' }),
    token_budget: tokenBudget.meta({ description: 'Maximum number of tokens of the text (o200k_base)' }),
    space_ids: z.array(spaceIdField.unwrap()).min(1).max(100).optional().meta({
      description: 'Only memories of these spaces',
    }),
    layers: layers.meta({ description: 'Only memories of these layers' }),
    session_id: sessionId.meta({ description: 'Id of the current conversation' }),
    profile: profile.meta({ description: 'Begin with what is stably true of the user' }),
  }),
  output: z.object({
    text: z.string(),
    tokenCount: z.int(),
    items: z.array(source).meta({ description: 'Sources, in the order of their marks' }),
    leftOut: z
      .int()
      .meta({ description: 'Number of memories that were found but did not fit or repeat others' }),
    searchId: answer.searchId.meta({ description: 'Pass it as search_id to memory_feedback' }),
    warnings: answer.warnings,
  }),
  effect: 'reads',
  parameters: { spaces: 'space_ids' },
  async call(
    { query, token_budget: tokenBudget, space_ids: spaces, layers, session_id: sessionId, profile },
    act,
  ) {
    const context = await act(buildContext, { query, tokenBudget, spaces, layers, sessionId, profile });
    const { text, tokenCount, searchId, warnings } = context;
    const items = context.items.map(({ kind, id, layer, citation }) => ({ kind, id, layer, citation }));
    const parts = [
      text === ''
        ? 'Nothing that is likely to be relevant is remembered, or nothing fits into token_budget.'
        : text,
      ...(items.length > 0 ? [`Sources:\n${items.map(({ citation }) => citation).join('\n')}`] : []),
      ...warnings.map(({ detail }) => `Note: ${detail}`),
    ];
    const leftOut = context.leftOut.length;
    return {
      fields: { text, tokenCount, items, leftOut, searchId, warnings: [...warnings] },
      text: parts.join('\n\n'),
    };
  },
});
