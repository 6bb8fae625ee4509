import { z } from 'zod';
import { buildContext } from '../../api/context/build-context.ts';
import { fitTokens } from '../fit-tokens.ts';
import { layersField, queryField, sessionIdField, spaceIdField } from './search.ts';
import { tool } from './tool.ts';

const { tokenBudget, profile } = buildContext.input.shape;

/** What of the budget is kept for the id of the search and the ids of the memories: a quarter, at most this many tokens. */
const mostForIds = 600;

export const memoryBuildContext = tool({
  name: 'memory_build_context',
  title: 'Build a context',
  description:
    'Read up on a question in one text: the best passages of many memories without repetitions or outdated ones, then summaries, each after a mark [n] that you can cite.',
  input: z.strictObject({
    query: queryField,
    token_budget: tokenBudget.meta({ description: 'Most tokens of the answer' }),
    space_ids: z.array(spaceIdField.unwrap()).min(1).max(100).optional(),
    layers: layersField,
    session_id: sessionIdField,
    profile: profile.meta({ description: 'Begin with a profile of the user' }),
  }),
  effect: 'reads',
  isCore: true,
  parameters: { spaces: 'space_ids' },
  async call(
    { query, token_budget: budget, space_ids: spaces, layers, session_id: sessionId, profile },
    act,
    tokenizer,
  ) {
    const tokenBudget = Math.max(1, budget - Math.min(Math.ceil(budget / 4), mostForIds));
    const context = await act(buildContext, { query, tokenBudget, spaces, layers, sessionId, profile });
    const { text, items, leftOut, searchId, warnings } = context;
    const nothing = 'Nothing that is likely to be relevant is remembered, or nothing fits into token_budget.';
    const others = leftOut.length > 0 ? `; ${leftOut.length} more were found` : '';
    return {
      text: fitTokens(
        [
          ...(text === '' ? [nothing] : text.split('\n')),
          '',
          `search_id ${searchId}${others}`,
          ...warnings.map(({ detail }) => `Note: ${detail}`),
          ...items.map(({ kind, id, citation }, index) => {
            if (kind === 'summary' || kind === 'profile') return citation;
            return citation.includes(id) ? `[${index + 1}] memory ${id}` : `${citation}: memory ${id}`;
          }),
        ],
        budget,
        await tokenizer.counter(),
      ),
    };
  },
});
