import { z } from 'zod';
import { asRecorded, defaultLimit, pageFields, positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { strategiesExample } from './examples.ts';
import { lessonSchema } from './lesson.ts';
import { readers } from '../memories/roles.ts';

export const listStrategies = operation({
  name: 'listStrategies',
  summary: 'List what attempts at similar questions have taught, best first',
  area: 'Reasoning',
  input: z.strictObject({ ...pageFields, ...waitFields }),
  output: z.object({
    items: z.array(lessonSchema),
    nextCursor: z.string().optional(),
    position: positionField,
  }),
  examples: { input: { limit: 10 }, output: strategiesExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['lessons'],
  audit: { what: 'lessons', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { limit = defaultLimit, cursor } = input;
    const { items, nextCursor, position } = await services.lessons.list(caller, { limit, cursor, ...wait });
    return {
      output: { items: [...items], nextCursor, position: token(position) },
      read: { items: items.length, memories: items, parameters: asRecorded(input) },
    };
  },
});
