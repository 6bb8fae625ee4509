import { z } from 'zod';
import { setKillSwitch } from '../../commands/configure-routing.ts';
import { operation } from '../operation.ts';
import { killSwitchAnswerExample, killSwitchExample } from './examples.ts';
import { routingOperators } from './roles.ts';

export const killSwitch = operation({
  name: 'killSwitch',
  summary:
    'Engage or release the kill switch, which sends all questions of all tenants to the standard search',
  area: 'Administration',
  input: z.strictObject({ engaged: z.boolean().default(true) }),
  output: z.object({ engaged: z.boolean(), position: z.string() }),
  examples: { input: killSwitchExample, output: killSwitchAnswerExample },
  access: routingOperators,
  command: { scope: () => ['POST', '/v1/admin/policies/kill-switch'] },
  async handle({ context, input: { engaged }, services, token }) {
    const { position, replayed } = await setKillSwitch(services.commands, context, engaged);
    services.routing.forget();
    return { output: { engaged, position: token(position) }, replayed };
  },
});
