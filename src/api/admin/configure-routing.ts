import { z } from 'zod';
import { configureRouting as configure, routingChange } from '../../commands/configure-routing.ts';
import { routingSettingsSchema } from '../../domain/routing/settings.ts';
import { operation } from '../operation.ts';
import { routingChangedExample, routingChangeExample } from './examples.ts';
import { routingOperators } from './roles.ts';

export const configureRouting = operation({
  name: 'configureRouting',
  summary:
    'Change how complex questions of the tenant are routed: on or off, threshold, share, shadow runs and budgets',
  area: 'Administration',
  input: routingChange,
  output: z.object({ settings: routingSettingsSchema, position: z.string() }),
  examples: { input: routingChangeExample, output: routingChangedExample },
  access: routingOperators,
  command: { scope: () => ['PATCH', '/v1/admin/routing'] },
  async handle({ context, input, services, token }) {
    const { settings, position, replayed } = await configure(services.commands, context, input);
    services.routing.forget();
    return { output: { settings, position: token(position) }, replayed };
  },
});
