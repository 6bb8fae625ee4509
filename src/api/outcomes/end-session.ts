import { z } from 'zod';
import { endSession as end } from '../../commands/outcomes/end-session.ts';
import { identifier } from '../../domain/layers.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { positionExample, sessionExample } from './examples.ts';
import { writers } from '../memories/roles.ts';

/** Needs the role agent, member or admin. */
export const endSession = operation({
  name: 'endSession',
  summary: 'End a session: results that it has not used by now count as ignored',
  area: 'Search',
  input: z.strictObject({
    sessionId: identifier.meta({ description: '`sessionId` of your own searches and contexts' }),
  }),
  output: z.object({ position: positionField }),
  examples: { input: sessionExample, output: positionExample },
  access: 'every-caller',
  serves: writers.roles,
  command: {
    scope: ({ sessionId }) => ['POST', `/v1/sessions/${sessionId}/end`],
    arguments: null,
  },
  async handle({ input: { sessionId }, context, services, token }) {
    const { position, replayed } = await end(services.commands, context, sessionId);
    return { output: { position: token(position) }, replayed };
  },
});
