import { z } from 'zod';
import { planAndRunOnce } from '../../commands/run-once.ts';
import { operation } from '../operation.ts';
import { parkedExample, retriedExample } from './examples.ts';
import { parkedStreamInput } from './parked-stream.ts';
import { headOf, operatorContext, projectionPath } from './projection-command.ts';
import { projectionOperators } from './roles.ts';

export const retryParkedStream = operation({
  name: 'retryParkedStream',
  summary: 'Retry a parked stream',
  area: 'Administration',
  input: parkedStreamInput.extend({ name: z.string() }),
  output: z.object({ projection: z.string(), stream: z.string(), position: z.string() }),
  examples: { input: { name: 'memories', ...parkedExample }, output: retriedExample },
  access: projectionOperators,
  command: { scope: ({ name }) => projectionPath(name, 'retry'), arguments: parkedStreamInput },
  async handle(call) {
    const { operations, commands } = call.services;
    const { name, stream } = call.input;
    const { answer, replayed } = await planAndRunOnce(commands, call.context, {
      plan: () => operations.parkedAt(name, stream),
      async run() {
        await operations.retry(name, stream, operatorContext(call));
        return { projection: name, stream, position: await headOf(call) };
      },
    });
    return { output: answer, replayed };
  },
});
