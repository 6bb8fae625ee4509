import { z } from 'zod';
import { revokeApiKey } from '../../commands/api-keys.ts';
import { positionExample } from '../memories/examples.ts';
import { operation } from '../operation.ts';
import { createdKeyExample } from './examples.ts';
import { keyManagers } from './roles.ts';

export const revokeKey = operation({
  name: 'revokeKey',
  summary: 'Revoke an API key',
  area: 'Administration',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ position: z.string() }),
  examples: { input: { id: createdKeyExample.id }, output: positionExample },
  access: keyManagers,
  command: { scope: ({ id }) => ['DELETE', `/v1/admin/keys/${id}`], arguments: null },
  async handle({ caller, context, input, services: { commands, directory }, token }) {
    const { position, replayed } = await revokeApiKey(commands, context, input.id);
    await directory.refresh(caller.tenant);
    return { output: { position: token(position) }, replayed };
  },
});
