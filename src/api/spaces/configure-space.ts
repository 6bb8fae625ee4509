import { z } from 'zod';
import {
  configureSpace as configure,
  patchSpace as patch,
  removeSpace,
  restrictSpaces,
  type SpaceResult,
} from '../../commands/spaces/configure-space.ts';
import type { JsonObject } from '../../domain/json.ts';
import { Problem } from '../../domain/problems.ts';
import { spaceConfigSchema, spaceFieldsSchema, spaceIdSchema } from '../../domain/spaces/space-config.ts';
import { spacePresets } from '../../domain/spaces/presets.ts';
import { expectedRevisionField, mergePatchOf, mustBeNewField, positionField } from '../fields.ts';
import { position } from '../example-values.ts';
import { operation, type Call, type Outcome } from '../operation.ts';
import {
  configExample,
  usageFor,
  spaceAdmins,
  spaceAnswerExample,
  spaceAnswerSchema,
  viewOfSpace,
} from './space.ts';
import { assertModels } from './space-models.ts';

const presetField = spaceFieldsSchema.shape.preset.meta({
  description: 'Begin from this preset; the other fields override it',
});

const putFields = spaceFieldsSchema.extend({ preset: presetField }).meta({ id: 'PutSpace' });

export const putSpace = operation({
  name: 'putSpace',
  summary: 'Configure a space; what is left out has its default, or the value of the preset',
  area: 'Spaces',
  input: putFields.extend({
    spaceId: spaceIdSchema,
    expectedRevision: expectedRevisionField,
    mustBeNew: mustBeNewField,
  }),
  output: spaceAnswerSchema,
  examples: { input: { spaceId: 'notes', ...configExample }, output: spaceAnswerExample },
  access: spaceAdmins,
  command: {
    scope: ({ spaceId }) => ['PUT', `/v1/spaces/${spaceId}`],
    arguments: putFields,
  },
  expectedRevision: 'optional',
  mustBeNew: true,
  async handle(call) {
    const { spaceId, expectedRevision: match, mustBeNew: isNew, preset, ...fields } = call.input;
    await assertModels(call, spaceId, fields);
    const config = spaceConfigSchema.parse({ ...(preset && { preset, ...spacePresets[preset] }), ...fields });
    const { commands } = call.services;
    return answered(call, await configure(commands, call.context, spaceId, config, { match, isNew }));
  },
});

const patchFields = mergePatchOf(spaceFieldsSchema.shape).meta({ id: 'PatchSpace' });

type PatchInput = JsonObject & { readonly spaceId: string; readonly expectedRevision?: number | '*' };

export const patchSpace = operation({
  name: 'patchSpace',
  summary: 'Change the configuration of a space with a JSON merge patch; null brings back the default',
  area: 'Spaces',
  input: patchFields.extend({ spaceId: spaceIdSchema, expectedRevision: expectedRevisionField }),
  output: spaceAnswerSchema,
  examples: { input: { spaceId: 'notes', temporalDecayRate: 0.5 }, output: spaceAnswerExample },
  access: spaceAdmins,
  command: {
    scope: (input) => ['PATCH', `/v1/spaces/${(input as PatchInput).spaceId}`],
    arguments: patchFields,
  },
  expectedRevision: 'optional',
  async handle(call) {
    const { spaceId, expectedRevision: match, ...changes } = call.input as PatchInput;
    await assertModels(call, spaceId, changes);
    const { commands } = call.services;
    return answered(call, await patch(commands, call.context, spaceId, changes, { match }));
  },
});

export const deleteSpace = operation({
  name: 'deleteSpace',
  summary:
    'Remove the configuration of a space that has no memories, or whose memories are to lose its label',
  area: 'Spaces',
  input: z.strictObject({
    spaceId: spaceIdSchema,
    memories: z.literal('detach').optional().meta({
      description:
        '`detach`: the space may have memories. They lose its label, in slices after the answer; deleted ones keep it',
    }),
    expectedRevision: expectedRevisionField,
  }),
  output: z.object({ position: positionField }),
  examples: { input: { spaceId: 'notes' }, output: { position } },
  access: spaceAdmins,
  command: {
    scope: ({ spaceId }) => ['DELETE', `/v1/spaces/${spaceId}`],
    arguments: null,
    variant: ({ memories }) => memories ?? '',
  },
  expectedRevision: 'optional',
  awaitsOwn: ['memories', 'statistics'],
  async handle(call) {
    const { spaceId, expectedRevision: match } = call.input;
    const detach = call.input.memories === 'detach';
    if (!detach) await assertEmpty(call, spaceId);
    const { commands } = call.services;
    const { position: reached, replayed } = await removeSpace(commands, call.context, spaceId, {
      detach,
      match,
    });
    return { output: { position: call.token(reached) }, replayed };
  },
});

/** A space is not removed as long as it is not known whether it is empty. */
const longestWaitMs = 30_000;

/** Looks at everything that was stored before the call. */
async function assertEmpty(call: Call<unknown>, spaceId: string): Promise<void> {
  const minPosition = await call.services.commands.store.log.head();
  const { of } = await usageFor({ ...call, wait: { minPosition, waitMs: longestWaitMs } });
  const { memories = 0 } = of.get(spaceId) ?? {};
  if (memories === 0) return;
  throw new Problem(
    'space-not-empty',
    `the space has ${memories} memories: remove the label from them first, or let the server do it (\`memories=detach\`, on the command line \`--detach\`)`,
    { extra: { memories } },
  );
}

const strictField = z.boolean().meta({
  description: 'Whether memories may name only spaces that are configured',
});

export const configureSpaces = operation({
  name: 'configureSpaces',
  summary: 'Set whether memories may name spaces that nobody configured',
  area: 'Spaces',
  input: z.strictObject({ strict: strictField }).meta({ id: 'SpacesSettings' }),
  output: z.object({ strict: strictField, position: positionField }),
  examples: { input: { strict: true }, output: { strict: true, position } },
  access: spaceAdmins,
  command: { scope: () => ['PUT', '/v1/admin/spaces'] },
  async handle({ context, input: { strict }, services, token }) {
    const { position: reached, replayed } = await restrictSpaces(services.commands, context, strict);
    return { output: { strict, position: token(reached) }, replayed };
  },
});

async function answered(
  call: Call<unknown>,
  { space, position: reached, isNew, replayed }: SpaceResult,
): Promise<Outcome<z.output<typeof spaceAnswerSchema>>> {
  const { of } = await usageFor(call);
  const output = {
    space: viewOfSpace(call.services, space.id, space, of.get(space.id)),
    position: call.token(reached),
  };
  return { output, replayed, isNew };
}
