import { z } from 'zod';
import { asRecorded, defaultLimit, pageFields, positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { strategiesExample } from './examples.ts';
import { lessonSchema } from './lesson.ts';

export const listStrategies = operation({
  name: 'listStrategies',
  summary: 'List what attempts at similar questions have taught, best first',
  area: 'Reasoning',
  input: z.strictObject({ limit: pageFields.limit, ...waitFields }),
  output: z.object({ items: z.array(lessonSchema), position: positionField }),
  examples: { input: { limit: 10 }, output: strategiesExample },
  access: 'every-caller',
  reads: 'read-models',
  audit: { what: 'lessons', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { limit = defaultLimit } = input;
    const { items, position } = await services.lessons.list(caller, { limit, ...wait });
    return {
      output: { items: [...items], position: token(position) },
      read: { items: items.length, memories: items, parameters: asRecorded(input) },
    };
  },
});
