import { z } from 'zod';
import { reasoningHistory } from '../../api/reasoning/history.ts';
import { recordTrace } from '../../api/reasoning/record-trace.ts';
import type { JsonObject } from '../../domain/json.ts';
import { experiencedSearch } from '../../api/reasoning/experienced-search.ts';
import { indentFollowingLines } from '../../domain/text/quote.ts';
import { answerFields, filtersField, restrictionsOf, show, spaceIdField } from './search.ts';
import { tool } from './tool.ts';

const recorded = recordTrace.input.shape;
const { items, lessons, warnings } = reasoningHistory.output.shape;
const found = items.element;

export const memoryGetReasoningHistory = tool({
  name: 'memory_get_reasoning_history',
  title: 'Look up earlier attempts',
  description:
    'See how similar questions or tasks were approached before, what worked, what failed and why, with the lessons from it. Call it before a search or a task that may have been tried before; an attempt that failed is as useful as one that succeeded.',
  input: z.strictObject({
    task_description: reasoningHistory.input.shape.query.meta({
      description: 'The question or task, in natural language',
    }),
    space_id: spaceIdField.meta({ description: 'Only attempts that were recorded for this space' }),
    similar_threshold: reasoningHistory.input.shape.threshold.meta({
      description: 'Least similarity, 0 to 1. From about .8 on, questions ask nearly the same',
    }),
  }),
  output: z.object({
    traces: z.array(found.shape.trace.extend({ similarity: found.shape.similarity })),
    lessons,
    warnings,
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
    'Like memory_search, but it looks up how similar questions were searched before, applies what worked, avoids what failed, and records this attempt. Use it for questions that come back in other words, or if memory_search finds too little. Tell it what was useful with memory_feedback: it learns from that, and not from having found something.',
  input: z.strictObject({
    query: experiencedSearch.input.shape.query.meta({ description: 'The question, in natural language' }),
    space_id: spaceIdField,
    filters: filtersField,
    session_id: recorded.sessionId.meta({ description: 'Id of the current conversation' }),
  }),
  output: z.object({
    ...answerFields,
    reasoning: z.object({
      strategy_used: z.string(),
      learned_from: z.array(z.string()).meta({ description: 'Ids of earlier attempts' }),
      outcome: z.literal('pending'),
      adjustments_made: z.string(),
      execution_time_ms: z.number(),
    }),
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
    'Record how you approached a question or task and how that ended, also if it failed, so that the next attempt can learn from it. Call it when you know the outcome. A search by memory_search_with_experience is recorded by itself.',
  input: z.strictObject({
    query: recorded.query.meta({ description: 'The question or task, in natural language' }),
    approach: recorded.approach.meta({ description: 'What you did, in a few words' }),
    outcome: recorded.outcome,
    memories_used: recorded.memoriesUsed.meta({ description: 'Ids of the memories you worked with' }),
    execution_time_ms: recorded.executionTimeMs.meta({ description: 'Time that it took, in milliseconds' }),
    success_factors: recorded.successFactors.meta({ description: 'Why it worked' }),
    failure_reason: recorded.failureReason.meta({ description: 'Why it failed' }),
    strategy: recorded.strategy.meta({
      description:
        'Parameters that another attempt could repeat. Those of a search, such as {"space_id": "crm", "top_k": 20}, are applied by memory_search_with_experience; other names are free',
    }),
    memories_helpful: recorded.memoriesHelpful.meta({ description: 'Those of memories_used that helped' }),
    space_id: spaceIdField.meta({ description: 'Space that the attempt was about' }),
    session_id: recorded.sessionId.meta({ description: 'Id of the current conversation' }),
  }),
  output: z.object({ id: z.string(), similarTo: recordTrace.output.shape.trace.shape.similarTo }),
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
