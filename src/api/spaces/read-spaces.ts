import { z } from 'zod';
import { unknownSpace } from '../../commands/spaces/configure-space.ts';
import { identifier } from '../../domain/layers.ts';
import { waitFields } from '../fields.ts';
import { position } from '../example-values.ts';
import { operation } from '../operation.ts';
import { usageFor, isCountedWhole, spaceExample, spaceReaders, spaceSchema, viewOfSpace } from './space.ts';

export const listSpaces = operation({
  name: 'listSpaces',
  summary:
    'List the spaces of the tenant: configured ones, and the labels of memories that the caller can see',
  area: 'Spaces',
  input: z.strictObject(waitFields),
  output: z.object({
    items: z.array(spaceSchema),
    strict: z.boolean().meta({ description: 'Whether memories may name only configured spaces' }),
    position: z.string(),
  }),
  examples: { input: {}, output: { items: [spaceExample], strict: false, position } },
  access: spaceReaders,
  reads: 'read-models',
  awaitsOwn: ['memories', 'statistics'],
  cost: () => 0.5,
  audit: { what: 'spaces', when: 'always' },
  async handle(call) {
    const { caller, services, token } = call;
    const [{ configured, strict }, sizes] = await Promise.all([
      services.commands.spaces.current(caller.tenant),
      usageFor(call),
    ]);
    const ids = [...new Set([...configured.keys(), ...sizes.of.keys()])].sort();
    const items = ids.map((id) => viewOfSpace(services, id, configured.get(id), sizes.of.get(id)));
    return {
      output: { items, strict, position: token(sizes.position) },
      ...(isCountedWhole(call) && { read: { items: items.length } }),
    };
  },
});

export const getSpace = operation({
  name: 'getSpace',
  summary: 'Show a space: its configuration, and what it holds',
  area: 'Spaces',
  // A label that nobody configured may be any identifier.
  input: z.strictObject({ spaceId: identifier, ...waitFields }),
  output: spaceSchema,
  examples: { input: { spaceId: 'notes' }, output: spaceExample },
  access: spaceReaders,
  reads: 'read-models',
  awaitsOwn: ['memories', 'statistics'],
  cost: () => 0.5,
  audit: { what: 'space', when: 'always' },
  async handle(call) {
    const { caller, input, services } = call;
    const [{ configured }, { of }] = await Promise.all([
      services.commands.spaces.current(caller.tenant),
      usageFor(call),
    ]);
    const [space, size] = [configured.get(input.spaceId), of.get(input.spaceId)];
    if (!space && !size) throw unknownSpace();
    return {
      output: viewOfSpace(services, input.spaceId, space, size),
      ...(isCountedWhole(call) && { read: { items: 1 } }),
    };
  },
});
