import { z } from 'zod';
import { configureRouting, routingChange, setKillSwitch } from '../../commands/configure-routing.ts';
import { hasRole, type TenantContext } from '../../domain/access/context.ts';
import { positionToken } from '../../domain/position.ts';
import { Problem } from '../../domain/problems.ts';
import { routingSettingsSchema } from '../../domain/routing/settings.ts';
import { untilLogReaches } from '../../queries/read-models.ts';
import type { Services } from '../../services.ts';
import { readWait, waitParameters } from '../parameters.ts';
import { route } from '../route.ts';
import {
  killSwitchAnswerExample,
  killSwitchExample,
  routingChangedExample,
  routingChangeExample,
  routingExample,
} from './operation-examples.ts';

const tag = 'Administration';

const routingStatus = z
  .object({
    settings: routingSettingsSchema.meta({ description: 'Of the tenant' }),
    killSwitch: z
      .boolean()
      .meta({ description: 'Engaged: all questions of all tenants take the standard route' }),
    switchedOff: z.boolean().meta({ description: 'By the configuration of this process' }),
    reasoningSwitchedOff: z
      .boolean()
      .meta({ description: 'The reasoning alone, by the configuration of this process' }),
  })
  .meta({ id: 'Routing' });

async function statusOf(
  { routing, routingIsOff, reasoningIsOff }: Services,
  tenant: string,
): Promise<z.infer<typeof routingStatus>> {
  const [settings, killSwitch] = await Promise.all([routing.settings(tenant), routing.killed()]);
  return { settings, killSwitch, switchedOff: routingIsOff, reasoningSwitchedOff: reasoningIsOff };
}

function assertMaySee(caller: TenantContext): void {
  if (!hasRole(caller, 'operator', 'auditor', 'admin'))
    throw new Problem('forbidden', 'routing needs the role operator, auditor or admin');
}

export const routingRoutes = [
  route({
    method: 'get',
    path: '/v1/admin/routing',
    operationId: 'routing',
    summary: 'How complex questions of the tenant are routed',
    tag,
    query: z.strictObject(waitParameters),
    responses: {
      200: { description: 'Settings and switches', schema: routingStatus, example: routingExample },
    },
    async handle({ caller, query }, services) {
      assertMaySee(caller);
      const { store } = services.commands;
      const { minPosition = 0, waitMs } = readWait(store, query);
      await untilLogReaches(store.log, minPosition, waitMs);
      // What another process changed before that position may not be at hand here.
      if (query.minPosition !== undefined) services.routing.forget();
      return { status: 200, body: await statusOf(services, caller.tenant) };
    },
  }),
  route({
    method: 'patch',
    path: '/v1/admin/routing',
    operationId: 'configureRouting',
    summary: 'Change how they are routed: threshold, share, shadow, budgets, or not at all',
    tag,
    command: true,
    body: routingChange,
    bodyExample: routingChangeExample,
    responses: {
      200: {
        description: 'The settings from now on',
        schema: z.object({ settings: routingSettingsSchema, position: z.string() }),
        example: routingChangedExample,
      },
    },
    async handle({ context, body }, services) {
      const { settings, position, replayed } = await configureRouting(services.commands, context, body);
      services.routing.forget();
      const token = positionToken(services.commands.store.log.logId, position);
      return { status: 200, body: { settings, position: token }, replayed };
    },
  }),
  route({
    method: 'post',
    path: '/v1/admin/policies/kill-switch',
    operationId: 'killSwitch',
    summary: 'Send all questions of all tenants the standard route, at once, or no longer',
    tag,
    command: true,
    body: z.strictObject({ engaged: z.boolean().default(true) }),
    bodyExample: killSwitchExample,
    bodyOptional: true,
    responses: {
      200: {
        description: 'Done',
        schema: z.object({ engaged: z.boolean(), position: z.string() }),
        example: killSwitchAnswerExample,
      },
    },
    async handle({ context, body: { engaged } }, services) {
      const { position, replayed } = await setKillSwitch(services.commands, context, engaged);
      services.routing.forget();
      const token = positionToken(services.commands.store.log.logId, position);
      return { status: 200, body: { engaged, position: token }, replayed };
    },
  }),
];
