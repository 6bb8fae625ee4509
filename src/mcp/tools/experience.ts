import { z } from 'zod';
import { reasoningHistory } from '../../api/reasoning/history.ts';
import { recordTrace } from '../../api/reasoning/record-trace.ts';
import type { JsonObject } from '../../domain/json.ts';
import { experiencedSearch } from '../../api/reasoning/experienced-search.ts';
import { indentFollowingLines } from '../../domain/text/quote.ts';
import { filtersField, queryField, restrictionsOf, sessionIdField, show, spaceIdField } from './search.ts';
import { tool } from './tool.ts';

const recorded = recordTrace.input.shape;
const found = reasoningHistory.output.shape.items.element;

export const memoryGetReasoningHistory = tool({
  name: 'memory_get_reasoning_history',
  title: 'Look up earlier attempts',
  description:
    'See how similar questions or tasks were approached before, what worked, what failed and why, with the lessons. Call it before a task that may have been tried before.',
  input: z.strictObject({
    task_description: reasoningHistory.input.shape.query.meta({ description: 'The question or task' }),
    space_id: spaceIdField,
    similar_threshold: reasoningHistory.input.shape.threshold.meta({
      description: 'Least similarity, 0 to 1; from .8 on, nearly the same question',
    }),
  }),
  effect: 'reads',
  parameters: { query: 'task_description', space: 'space_id', threshold: 'similar_threshold' },
  async call({ task_description: query, space_id: space, similar_threshold: threshold }, act) {
    const { items, lessons, warnings } = await act(reasoningHistory, { query, space, threshold });
    return {
      fields: {
        traces: items.map(({ trace, similarity }) => ({ ...trace, similarity })),
        lessons,
        warnings,
      },
      text: [
        items.length === 0
          ? 'Nothing similar was tried before.'
          : `${items.length} earlier ${items.length === 1 ? 'attempt' : 'attempts'}, the best first.`,
        ...lessons.map(({ title, description, content }) =>
          indentFollowingLines([title, description, content].join('\n')),
        ),
        ...items.map(({ trace, similarity }) => inWords(trace, similarity)),
        ...warnings.map(({ detail }) => `Note: ${detail}`),
      ].join('\n\n'),
    };
  },
});

export const memorySearchWithExperience = tool({
  name: 'memory_search_with_experience',
  title: 'Search with experience',
  description:
    'Like memory_search, but applies what worked for similar questions, avoids what failed, and records this attempt. It learns from memory_feedback.',
  input: z.strictObject({
    query: queryField,
    space_id: spaceIdField,
    filters: filtersField.unwrap().meta({ description: 'As in memory_search' }).optional(),
    session_id: sessionIdField,
  }),
  effect: 'adds',
  parameters: { filter: 'filters', spaces: 'space_id' },
  async call({ query, session_id: sessionId, ...sent }, act) {
    const { maxTokens, ...restrictions } = restrictionsOf(sent);
    const found = await act(experiencedSearch, { query, sessionId, content: 'whole', ...restrictions });
    const { fields, text } = show(found, maxTokens);
    const { strategyUsed, learnedFrom, outcome, adjustmentsMade, executionTimeMs } = found.reasoning;
    const adjustments = adjustmentsMade.length > 0 ? adjustmentsMade.join('; ') : 'none';
    return {
      fields: {
        ...fields,
        reasoning: {
          strategy_used: strategyUsed,
          learned_from: learnedFrom,
          outcome,
          adjustments_made: adjustments,
          execution_time_ms: executionTimeMs,
        },
      },
      text: `${text}\n\nStrategy: ${strategyUsed}. Adjustments: ${adjustments}.`,
    };
  },
});

export const memoryRecordReasoning = tool({
  name: 'memory_record_reasoning',
  title: 'Record an attempt',
  description:
    'Record how you approached a question or task and how that ended, also if it failed, so that the next attempt can learn from it.',
  input: z.strictObject({
    query: recorded.query.meta({ description: 'The question or task' }),
    approach: recorded.approach.meta({ description: 'What you did' }),
    outcome: recorded.outcome,
    memories_used: recorded.memoriesUsed.meta({ description: 'Their ids' }),
    execution_time_ms: recorded.executionTimeMs,
    success_factors: recorded.successFactors.meta({ description: 'Why it worked' }),
    failure_reason: recorded.failureReason.meta({ description: 'Why it failed' }),
    strategy: recorded.strategy.meta({
      description:
        'Parameters to repeat, such as {"space_id": "crm", "top_k": 20}, which memory_search_with_experience applies',
    }),
    memories_helpful: recorded.memoriesHelpful.meta({ description: 'Those that helped' }),
    space_id: spaceIdField.meta({ description: '' }),
    session_id: recorded.sessionId.meta({ description: '' }),
  }),
  effect: 'adds',
  parameters: { memoriesUsed: 'memories_used', space: 'space_id' },
  async call(input, act) {
    const { trace } = await act(recordTrace, {
      query: input.query,
      approach: input.approach,
      outcome: input.outcome,
      memoriesUsed: input.memories_used,
      executionTimeMs: input.execution_time_ms,
      successFactors: input.success_factors,
      failureReason: input.failure_reason,
      strategy: input.strategy && withNamesOfApi(input.strategy),
      memoriesHelpful: input.memories_helpful,
      space: input.space_id,
      sessionId: input.session_id,
    });
    const { id, similarTo } = trace;
    return {
      fields: { id, ...(similarTo && { similarTo }) },
      text: `Recorded as ${id}.${similarTo ? ` Most similar so far: ${similarTo.traceId}.` : ''}`,
    };
  },
});

/** Renames the parameters of the tools to those of the API, so that a later search can apply them. */
function withNamesOfApi({ top_k: topK, space_id: space, ...others }: JsonObject): JsonObject {
  return {
    ...(topK !== undefined && { topK }),
    ...(space !== undefined && { spaces: Array.isArray(space) ? space : [space] }),
    ...others,
  };
}

type Trace = z.infer<typeof found.shape.trace>;

function inWords(trace: Trace, similarity: number): string {
  const { query, approach, outcome, failureReason, successFactors, strategy } = trace;
  return [
    `${outcome} (similarity ${similarity.toFixed(2)}): ${query}`,
    `Approach: ${approach}`,
    ...(strategy ? [`Parameters: ${JSON.stringify(strategy)}`] : []),
    ...(failureReason === undefined ? [] : [`It failed because: ${failureReason}`]),
    ...(successFactors ? [`It worked because: ${JSON.stringify(successFactors)}`] : []),
  ]
    .map(indentFollowingLines)
    .join('\n');
}
