import { z } from 'zod';
import { routingSettingsSchema } from '../../domain/routing/settings.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { routingExample } from './examples.ts';

const routingStatus = z
  .object({
    settings: routingSettingsSchema.meta({ description: 'Routing settings of the tenant' }),
    killSwitch: z.boolean().meta({
      description:
        'Whether the kill switch is engaged, so that all questions of all tenants take the standard route',
    }),
    switchedOff: z
      .boolean()
      .meta({ description: 'Whether the configuration of this process disables routing' }),
    reasoningSwitchedOff: z
      .boolean()
      .meta({ description: 'Whether the configuration of this process disables reasoning' }),
  })
  .meta({ id: 'Routing' });

export const routing = operation({
  name: 'routing',
  summary: 'Show how complex questions of the tenant are routed',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: routingStatus,
  examples: { input: {}, output: routingExample },
  access: {
    roles: ['operator', 'auditor', 'admin'],
    refusal: 'routing needs the role operator, auditor or admin',
  },
  reads: 'log',
  async handle({ caller, input, services }) {
    const { routing: directory } = services;
    // The cache may lack what another process changed before that position.
    if (input.minPosition !== undefined) directory.forget();
    const [settings, killSwitch] = await Promise.all([directory.settings(caller.tenant), directory.killed()]);
    const { switchedOff } = directory;
    return {
      output: {
        settings,
        killSwitch,
        switchedOff: switchedOff.routing,
        reasoningSwitchedOff: switchedOff.reasoning,
      },
    };
  },
});
