import path from 'node:path';
import { z } from 'zod';
import {
  configureSource,
  patchSource as patch,
  removeSource,
  requestRun,
  type SourceResult,
} from '../../commands/sources/configure-source.ts';
import type { JsonObject } from '../../domain/json.ts';
import { invalid } from '../../domain/problems.ts';
import { sourceConfigSchema, sourceFields, sourceIdSchema } from '../../domain/sources/source-config.ts';
import { position } from '../example-values.ts';
import { expectedRevisionField, mergePatchOf, mustBeNewField, positionField } from '../fields.ts';
import { operation, type Call, type Outcome } from '../operation.ts';
import { viewWithRun } from './read-sources.ts';
import {
  configExample,
  sourceAdmins,
  sourceAnswerExample,
  sourceAnswerSchema,
  sourceExample,
} from './source.ts';

const putFields = z.strictObject(sourceFields).meta({ id: 'PutSource' });

export const putSource = operation({
  name: 'putSource',
  summary: 'Configure a source: a feed, a page, a sitemap or a folder that is read on a schedule',
  area: 'Documents',
  input: putFields.extend({
    id: sourceIdSchema,
    expectedRevision: expectedRevisionField,
    mustBeNew: mustBeNewField,
  }),
  output: sourceAnswerSchema,
  examples: { input: { id: 'blog', ...configExample }, output: sourceAnswerExample },
  access: sourceAdmins,
  command: { scope: ({ id }) => ['PUT', `/v1/sources/${id}`], arguments: putFields },
  expectedRevision: 'optional',
  mustBeNew: true,
  async handle(call) {
    const { id, expectedRevision: match, mustBeNew: isNew, ...fields } = call.input;
    assertReadable(call, fields);
    const config = sourceConfigSchema.parse(fields);
    const { commands } = call.services;
    return answered(call, await configureSource(commands, call.context, id, config, { match, isNew }));
  },
});

const patchFields = mergePatchOf(sourceFields).meta({ id: 'PatchSource' });

type PatchInput = JsonObject & { readonly id: string; readonly expectedRevision?: number | '*' };

export const patchSource = operation({
  name: 'patchSource',
  summary: 'Change the configuration of a source with a JSON merge patch; null brings back the default',
  area: 'Documents',
  input: patchFields.extend({ id: sourceIdSchema, expectedRevision: expectedRevisionField }),
  output: sourceAnswerSchema,
  examples: { input: { id: 'blog', schedule: '@daily' }, output: sourceAnswerExample },
  access: sourceAdmins,
  command: {
    scope: (input) => ['PATCH', `/v1/sources/${(input as PatchInput).id}`],
    arguments: patchFields,
  },
  expectedRevision: 'optional',
  async handle(call) {
    const { id, expectedRevision: match, ...changes } = call.input as PatchInput;
    assertReadable(call, changes);
    const { commands } = call.services;
    return answered(call, await patch(commands, call.context, id, changes, { match }));
  },
});

export const deleteSource = operation({
  name: 'deleteSource',
  summary: 'Remove a source; its documents stay',
  area: 'Documents',
  input: z.strictObject({ id: sourceIdSchema, expectedRevision: expectedRevisionField }),
  output: z.object({ position: positionField }),
  examples: { input: { id: 'blog' }, output: { position } },
  access: sourceAdmins,
  command: { scope: ({ id }) => ['DELETE', `/v1/sources/${id}`], arguments: null },
  expectedRevision: 'optional',
  async handle({ context, input: { id, expectedRevision: match }, services, token }) {
    const { position: reached, replayed } = await removeSource(services.commands, context, id, { match });
    return { output: { position: token(reached) }, replayed };
  },
});

export const runSource = operation({
  name: 'runSource',
  summary: 'Read a source now, whatever its schedule says',
  area: 'Documents',
  input: z.strictObject({ id: sourceIdSchema }),
  output: sourceAnswerSchema,
  examples: {
    input: { id: 'blog' },
    output: { source: { ...sourceExample, state: 'due' as const }, position },
  },
  access: sourceAdmins,
  command: { scope: ({ id }) => ['POST', `/v1/sources/${id}/run`], arguments: null },
  async handle(call) {
    return answered(call, await requestRun(call.services.commands, call.context, call.input.id));
  },
});

async function answered(
  call: Call<unknown>,
  { source, position: reached, isNew, replayed }: SourceResult,
): Promise<Outcome<z.output<typeof sourceAnswerSchema>>> {
  const output = { source: await viewWithRun(call, source), position: call.token(reached) };
  return { output, replayed, isNew };
}

/** Refuses a folder that the server may not read; links are followed when it is read. */
function assertReadable({ services: { ingestRoots } }: Call<unknown>, fields: object): void {
  const folder = 'path' in fields ? fields.path : undefined;
  if (typeof folder !== 'string') return;
  if (ingestRoots.length === 0)
    throw invalid(
      'path',
      'this server reads no folders: an operator allows them with STRATALOG_INGEST_ROOTS',
    );
  if (!path.isAbsolute(folder)) throw invalid('path', 'must be an absolute path');
  const full = path.resolve(folder);
  if (
    !ingestRoots.some(
      (root) => full === root || full.startsWith(root.endsWith(path.sep) ? root : root + path.sep),
    )
  )
    throw invalid('path', 'is in none of the folders that STRATALOG_INGEST_ROOTS names');
}
