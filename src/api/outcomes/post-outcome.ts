import { z } from 'zod';
import { outcomeInput, postOutcome as post } from '../../commands/outcomes/observe-outcome.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { outcomeExample, positionExample } from './examples.ts';
import { writers } from '../memories/roles.ts';

/** Needs the role agent, member or admin; the command checks it after it has found the search. */
export const postOutcome = operation({
  name: 'postOutcome',
  summary: 'Say which results of your search were used, so that later searches are answered better',
  area: 'Search',
  input: outcomeInput.extend({
    searchId: z.string().max(512).meta({ description: '`searchId` of the answer to your own search' }),
  }),
  output: z.object({ position: positionField }),
  examples: { input: outcomeExample, output: positionExample },
  access: 'every-caller',
  serves: writers.roles,
  command: {
    scope: ({ searchId }) => ['POST', `/v1/searches/${searchId}/outcome`],
    arguments: outcomeInput,
  },
  async handle({ input: { searchId, ...posted }, context, services, token }) {
    const { position, replayed } = await post(services.commands, context, searchId, posted);
    return { output: { position: token(position) }, replayed };
  },
});
