import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  eventSchema,
  fileOf,
  isSameShape,
  readFolder,
  schemaFaults,
  type Document,
  type Folder,
} from '../../schemas/event-schemas.ts';
import { recordGolden, type GoldenEvent } from '../../schemas/golden-events.ts';
import { decode, hashOf, metadataOf } from '../../src/adapters/eventstore/codec.ts';
import { defineEvent, type AnyEventDefinition } from '../../src/domain/events/define.ts';
import { eventDefinitions } from '../../src/domain/events/registry.ts';

const root = path.resolve(import.meta.dirname, '../../schemas');
const definitions = [...eventDefinitions.values()];
const schemas = await readFolder(path.join(root, 'events'));
const golden = (await readFolder(path.join(root, 'golden'))) as ReadonlyMap<string, Document & GoldenEvent>;

describe('[F9] the checked-in schemas', () => {
  it('cover the current and every earlier version of each event', () => {
    expect(schemaFaults(definitions, schemas)).toEqual([]);
  });

  it('equal the output of the generator', async () => {
    for (const [file, schema] of schemas)
      expect(await readFile(path.join(root, 'events', file), 'utf8')).toBe(
        `${JSON.stringify(schema, null, 2)}\n`,
      );
  });

  it.each(definitions.map((definition) => [definition.type, definition] as const))(
    'mark what is sealed: %s',
    (_, definition) => {
      const { properties } = eventSchema(definition) as { properties: Record<string, Document> };
      const marked = Object.keys(properties).filter((name) => properties[name]!['x-sealed'] === true);
      expect(marked.sort()).toEqual(Object.keys(definition.sealed.shape).sort());
      expect(Object.keys(properties)).toHaveLength(
        marked.length + Object.keys(definition.routing.shape).length,
      );
    },
  );
});

describe('[F9] the golden event', () => {
  it('exists for every version of every event, and for nothing else', () => {
    const wanted = definitions.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, n) => fileOf(type, n + 1)),
    );
    expect([...golden.keys()].sort()).toEqual(wanted.sort());
  });

  describe.each([...golden])('%s', (file, { recorded, key, data, reason }) => {
    const event = { ...recorded, time: new Date(recorded.time) };
    const metadata = metadataOf(event);
    const definition = eventDefinitions.get(recorded.type)!;
    const open = (dataKey: Uint8Array | 'destroyed' | undefined) => decode(event, metadata, dataKey);

    it('is decoded, upcast and accepted by the current schemas', () => {
      const loaded = open(key === undefined ? undefined : Buffer.from(key, 'base64'));
      expect(loaded).toMatchObject({ erased: false, reason, event: { type: recorded.type } });
      const { routing, sealed } = definition;
      expect({ ...routing.parse(loaded.event.data), ...sealed.parse(loaded.event.data) }).toEqual(
        loaded.event.data,
      );
      if (recorded.schemaVersion === definition.version) expect(loaded.event.data).toEqual(data);
    });

    it('is reduced to its routing fields if its key was destroyed', () => {
      const loaded = open('destroyed');
      expect(loaded).toMatchObject({ erased: true });
      expect(definition.routing.safeParse(loaded.event.data).error).toBeUndefined();
      for (const name of Object.keys(definition.sealed.shape))
        expect(loaded.event.data).not.toHaveProperty(name);
    });

    it('matches its own schema and the hash of its bytes', () => {
      expect(file).toBe(fileOf(recorded.type, recorded.schemaVersion));
      const schema = z.fromJSONSchema(schemas.get(file)!);
      expect(schema.safeParse(data).error).toBeUndefined();
      expect(schema.safeParse({}).success).toBe(false);
      const { hash, ...rest } = metadata;
      expect(hash).toBe(hashOf(event, rest));
    });
  });
});

describe('[F9] [G5] the compatibility gate', () => {
  const upcasters = { 1: (data: Record<string, unknown>) => data };
  const weighed = (routing: z.ZodObject, version = 1): AnyEventDefinition =>
    defineEvent({
      type: 'Weighed',
      category: 'memory',
      version,
      routing,
      sealed: z.object({ note: z.string().optional() }),
      ...(version > 1 && { upcasters }),
    });
  const first = weighed(
    z.object({
      grams: z.int(),
      title: z.string(),
      scale: z.enum(['kitchen', 'post']),
      tare: z.int().optional(),
      parts: z.array(z.object({ name: z.string(), grams: z.int().optional() })),
    }),
  );
  const { grams, title, scale, tare, parts } = first.routing.shape as unknown as Record<string, z.ZodType>;
  const before = { grams: grams!, title: title!, scale: scale!, tare: tare!, parts: parts! };
  const folder = (...of: AnyEventDefinition[]): Folder =>
    new Map(of.map((definition) => [fileOf(definition.type, definition.version), eventSchema(definition)]));

  it('accepts the same schema', () => {
    expect(schemaFaults([first], folder(first))).toEqual([]);
  });

  it.each([
    ['a field more', { at: z.string().optional() }],
    ['a field less', { title: undefined }],
    ['a field of another name', { title: undefined, heading: z.string() }],
    ['a wider type', { grams: z.number() }],
    ['another type', { grams: z.string() }],
    ['a narrower value', { title: z.string().max(5) }],
    ['fewer words', { scale: z.enum(['kitchen']) }],
    ['more words', { scale: z.enum(['kitchen', 'post', 'truck']) }],
    ['a field that became optional', { grams: z.int().optional() }],
    ['a field that became required', { tare: z.int() }],
    [
      'a field that became required inside',
      { parts: z.array(z.object({ name: z.string(), grams: z.int() })) },
    ],
    ['a field less inside', { parts: z.array(z.object({ name: z.string() })) }],
  ] as [string, Record<string, z.ZodType | undefined>][])(
    'refuses an existing version with %s',
    (_, change) => {
      const fields = Object.entries({ ...before, ...change }).filter(([, field]) => field !== undefined);
      const routing = z.object(Object.fromEntries(fields) as Record<string, z.ZodType>);
      expect(schemaFaults([weighed(routing)], folder(first))).toEqual([
        expect.stringMatching(/^Weighed.v1.json has another shape/),
      ]);
    },
  );

  it('rejects a sealed field that becomes readable', () => {
    const open = { ...first, routing: first.routing.extend(first.sealed.shape), sealed: z.object({}) };
    expect(schemaFaults([open], folder(first))).toHaveLength(1);
  });

  it('asks only for a new file if just descriptions changed', () => {
    const described = weighed(z.object({ ...before, grams: z.int().meta({ description: 'net' }) }));
    expect(isSameShape(eventSchema(first), eventSchema(described))).toBe(true);
    expect(schemaFaults([described], folder(first))).toEqual([expect.stringMatching(/out of date/)]);
  });

  it('accepts a different new version once it is checked in next to the old one', () => {
    const second = weighed(z.object({ kilos: z.number() }), 2);
    expect(schemaFaults([second], folder(first))).toEqual([
      expect.stringMatching(/^Weighed.v2.json is missing/),
    ]);
    expect(schemaFaults([second], folder(second))).toEqual([
      expect.stringMatching(/^Weighed.v1.json is missing/),
    ]);
    expect(schemaFaults([second], folder(first, second))).toEqual([]);
  });

  it('reports a removed event', () => {
    expect(schemaFaults([], folder(first))).toEqual([expect.stringMatching(/no program can read/)]);
  });

  it('has an example of every event', () => {
    for (const definition of definitions) {
      const { recorded } = recordGolden(definition);
      expect(recorded.type).toBe(definition.type);
    }
  });
});
