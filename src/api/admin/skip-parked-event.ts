import { z } from 'zod';
import { planAndRunOnce } from '../../commands/run-once.ts';
import { operation } from '../operation.ts';
import { parkedExample, skippedExample } from './examples.ts';
import { parkedStreamInput } from './parked-stream.ts';
import { headOf, operatorContext, projectionPath } from './projection-command.ts';
import { projectionOperators } from './roles.ts';

export const skipParkedEvent = operation({
  name: 'skipParkedEvent',
  summary: 'Skip the event that blocks a parked stream',
  area: 'Administration',
  input: parkedStreamInput.extend({ name: z.string() }),
  output: z.object({
    projection: z.string(),
    stream: z.string(),
    revision: z.int(),
    type: z.string(),
    position: z.string(),
  }),
  examples: { input: { name: 'memories', ...parkedExample }, output: skippedExample },
  access: projectionOperators,
  command: { scope: ({ name }) => projectionPath(name, 'skip'), arguments: parkedStreamInput },
  async handle(call) {
    const { operations, commands } = call.services;
    const { name, stream } = call.input;
    const { answer, replayed } = await planAndRunOnce(commands, call.context, {
      plan: () => operations.parkedAt(name, stream),
      async run(plan) {
        await operations.skip(name, stream, operatorContext(call), plan);
        return { projection: name, stream, ...plan, position: await headOf(call) };
      },
      // The event is left out even if a later event of the stream then fails.
      keepsPlan: true,
    });
    return { output: answer, replayed };
  },
});
