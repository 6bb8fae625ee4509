import { z } from 'zod';
import { allOutcomes } from '../../domain/experience/trace.ts';
import { traceSchema } from '../../domain/experience/trace-view.ts';
import { identifier, scopeSchema } from '../../domain/layers.ts';
import { asRecorded, positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { queryText, searchRegion, warningsSchema } from '../search/fields.ts';
import { lessonSchema, maxLessons } from './lesson.ts';
import { historyBodyExample, historyExample } from './examples.ts';
import { readers } from '../memories/roles.ts';

const maxItems = 100;

export const reasoningHistory = operation({
  name: 'reasoningHistory',
  summary: 'Find earlier attempts at similar questions or tasks, with how they ended',
  area: 'Reasoning',
  input: z
    .strictObject({
      query: queryText,
      threshold: z.number().min(0).max(1).default(0.8).meta({
        description:
          'Least similarity. It means the same with every embedding model: from about .8 on, questions ask nearly the same',
      }),
      outcome: z.enum(allOutcomes).optional(),
      scope: scopeSchema.extend({ company: identifier.optional() }).optional(),
      space: identifier.optional(),
      limit: z.int().min(1).max(maxItems).default(10),
      ...waitFields,
    })
    .meta({ id: 'ReasoningHistory' }),
  output: z
    .object({
      items: z
        .array(z.object({ trace: traceSchema, similarity: z.number() }))
        .meta({ description: 'By similarity in bands of .05, then successes first, then the newest' }),
      lessons: z.array(lessonSchema).meta({ description: 'What these attempts teach, best first' }),
      position: positionField,
      warnings: warningsSchema,
    })
    .meta({ id: 'ReasoningHistoryAnswer' }),
  examples: { input: historyBodyExample, output: historyExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['traces', 'lessons'],
  cost: () => 1,
  audit: { what: 'reasoning history', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { query, threshold, outcome, space, limit } = input;
    const { scope } = searchRegion(caller, input, { isAsOf: false });
    const asked = { query, threshold, outcome, space, limit, scope, ...wait };
    const { items, byWords, position } = await services.traces.history(caller, asked);
    const traceIds = items.map(({ trace }) => trace.id);
    const lessons =
      traceIds.length === 0
        ? []
        : (await services.lessons.list(caller, { traceIds, limit: maxLessons })).items;
    return {
      output: {
        items: [...items],
        lessons: [...lessons],
        position: token(position),
        warnings: byWords ? [{ code: 'partial', detail: 'the question was compared by its words only' }] : [],
      },
      read: {
        items: items.length,
        memories: [...items.map(({ trace }) => trace), ...lessons],
        parameters: asRecorded(input),
      },
    };
  },
});
