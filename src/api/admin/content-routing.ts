import { z } from 'zod';
import { configureContentRouting } from '../../commands/configure-content-routing.ts';
import { contentRoutingSchema, type ContentRouting } from '../../domain/content-routing/rules.ts';
import { position } from '../example-values.ts';
import { expectedRevisionField, positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';

const routingExample = {
  rules: [
    { when: { source: 'user_cli' }, spaces: ['dev'] },
    { when: { sourceDomain: 'example.com', contentType: ['guide', 'documentation'] }, spaces: ['manuals'] },
    { when: { contains: ['invoice', 'credit note'] }, spaces: ['billing'] },
  ],
  fallback: ['inbox'],
} satisfies ContentRouting;

const inForce = contentRoutingSchema.extend({
  configured: z.boolean().meta({
    description: 'Whether the tenant configured them; else they are those of the presets of its spaces',
  }),
  revision: z.int().meta({ description: 'Their ETag; -1 if nobody configured rules' }),
});

const answerExample = { ...routingExample, configured: true, revision: 4 };

export const contentRouting = operation({
  name: 'contentRouting',
  summary: 'Show the rules that choose the spaces of documents which name none',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: inForce,
  examples: { input: {}, output: answerExample },
  access: {
    roles: ['operator', 'auditor', 'admin'],
    refusal: 'content routing needs the role operator, auditor or admin',
  },
  reads: 'log',
  async handle({ caller, input, services }) {
    const { contentRouting: directory, commands } = services;
    // The caches may lack what another process changed before that position.
    if (input.minPosition !== undefined) {
      directory.forget();
      await commands.spaces.current(caller.tenant);
    }
    return { output: await directory.of(caller.tenant) };
  },
});

export const putContentRouting = operation({
  name: 'putContentRouting',
  summary: 'Replace the rules that choose the spaces of documents which name none',
  area: 'Administration',
  input: contentRoutingSchema
    .extend({ expectedRevision: expectedRevisionField })
    .meta({ id: 'PutContentRouting' }),
  output: inForce.extend({ position: positionField }),
  examples: { input: routingExample, output: { ...answerExample, position } },
  access: { roles: ['admin'], refusal: 'content routing needs the role admin' },
  command: { scope: () => ['PUT', '/v1/admin/content-routing'], arguments: contentRoutingSchema },
  expectedRevision: 'optional',
  async handle({ context, input: { expectedRevision, ...routing }, services, token }) {
    const changed = await configureContentRouting(services.commands, context, routing, expectedRevision);
    services.contentRouting.forget();
    const { revision, position: at, replayed } = changed;
    return {
      output: { ...changed.routing, configured: true, revision, position: token(at) },
      replayed,
    };
  },
});
