import { z } from 'zod';
import { planAndRunOnce } from '../../commands/run-once.ts';
import { operation } from '../operation.ts';
import { switchedExample } from './examples.ts';
import { operatorContext, projectionPath } from './projection-command.ts';
import { projectionOperators } from './roles.ts';

const switched = z.object({
  projection: z.string(),
  from: z.int(),
  to: z.int(),
  ended: z.literal(true).optional().meta({
    description: 'Present if a rollback cancelled a rebuild: `from` was dropped, and queries still read `to`',
  }),
  position: z.string(),
});

const generationChange = (act: 'switch' | 'rollback', summary: string) =>
  operation({
    name: `${act}Projection`,
    summary,
    area: 'Administration',
    input: z.strictObject({ name: z.string() }),
    output: switched,
    examples: { input: { name: 'memories' }, output: switchedExample },
    access: projectionOperators,
    command: { scope: ({ name }) => projectionPath(name, act), arguments: z.strictObject({}) },
    async handle(call) {
      const { operations, commands } = call.services;
      const { name } = call.input;
      const { answer, replayed } = await planAndRunOnce(commands, call.context, {
        plan: () => operations.plan(act, name),
        async run(plan) {
          const done = await operations[act](name, operatorContext(call), plan);
          return { projection: name, ...done, position: call.token(done.position) };
        },
      });
      return { output: answer, replayed };
    },
  });

export const switchProjection = generationChange('switch', 'Switch queries to the rebuilt generation');

export const rollbackProjection = generationChange(
  'rollback',
  'Cancel a running rebuild, or switch queries back to the previous generation',
);
