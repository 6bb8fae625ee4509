import { z } from 'zod';
import { createApiKey, createKeyInput } from '../../commands/api-keys.ts';
import { operation } from '../operation.ts';
import { createdKeyExample, createKeyExample } from './examples.ts';
import { keyManagers } from './roles.ts';

export const createKey = operation({
  name: 'createKey',
  summary: 'Create an API key; the first key of a tenant creates the tenant',
  area: 'Administration',
  input: createKeyInput,
  output: z.object({ id: z.string(), key: z.string(), position: z.string() }),
  examples: { input: createKeyExample, output: createdKeyExample },
  access: { ...keyManagers, masterKey: true },
  command: { scope: () => ['POST', '/v1/admin/keys'] },
  async handle({ caller, context, input, services: { commands, directory }, token }) {
    const { id, key, position, replayed } = await createApiKey(commands, context, input);
    await directory.refresh(input.tenant ?? caller.tenant);
    return { output: { id, key, position: token(position) }, replayed };
  },
});
