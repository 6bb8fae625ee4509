import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decode, encode, metadataOf } from '../../src/adapters/eventstore/codec.ts';
import { defineEvent, upcast, type AnyEventDefinition } from '../../src/domain/events/define.ts';
import { eventDefinitions, type StratalogEvent } from '../../src/domain/events/registry.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { testContext } from '../support/event-store.ts';

const base = { type: 'Weighed', category: 'memory' } as const;

const first = defineEvent({
  ...base,
  version: 1,
  routing: z.object({ grams: z.int() }),
  sealed: z.object({ note: z.string().optional() }),
});

/** Version 2 uses kilos, version 3 adds the place and turns the note into a text. */
const third = defineEvent({
  ...base,
  version: 3,
  routing: z.object({ kilos: z.number(), place: z.string() }),
  sealed: z.object({ text: z.string().optional() }),
  upcasters: {
    1: ({ grams, note, ...data }) => ({
      ...data,
      kilos: (grams as number) / 1_000,
      ...(note !== undefined && { text: note }),
    }),
    2: (data) => ({ ...data, place: 'unknown' }),
  },
});

describe('[F9] an event of an older version', () => {
  it('is upcast one version at a time', () => {
    expect(upcast(third, 1, { grams: 1_500, note: 'net' })).toEqual({
      kilos: 1.5,
      text: 'net',
      place: 'unknown',
    });
    expect(upcast(third, 2, { kilos: 2 })).toEqual({ kilos: 2, place: 'unknown' });
  });

  it('is unchanged at the current version', () => {
    const data = { kilos: 2, place: 'here' };
    expect(upcast(third, 3, data)).toBe(data);
  });

  it('of a newer version is rejected', () => {
    expect(() => upcast(third, 4, {})).toThrow(
      /version 4 is newer than this program, which supports versions up to 3/,
    );
  });

  it('needs an upcaster in its definition', () => {
    const { upcasters } = third;
    expect(() => defineEvent({ ...third, upcasters: { 1: upcasters[1]! } })).toThrow(
      /no upcaster from version 2/,
    );
    expect(() => defineEvent({ ...third, upcasters: {} })).toThrow(/no upcaster from version 1/);
  });
});

describe('[F9] a recorded event of an older version', () => {
  // The registry is normally read-only; this test changes it to simulate older and newer programs.
  const registry = eventDefinitions as Map<string, AnyEventDefinition>;
  const key = randomBytes(32);
  const stream: StreamName = 'memory-acme.1';

  const record = (definition: AnyEventDefinition, data: Record<string, unknown>) => {
    registry.set('Weighed', definition);
    const event = { type: 'Weighed', data } as unknown as StratalogEvent;
    const stored = encode('0197c1a2-0000-7000-8000-000000000001', stream, event, testContext(), { key });
    return { ...stored, stream, revision: 0, position: 1, time: new Date(0) };
  };

  afterEach(() => {
    registry.delete('Weighed');
  });

  it('is decrypted and upcast on reading, and its stored bytes stay unchanged', () => {
    const recorded = record(first, { grams: 250, note: 'net' });
    registry.set('Weighed', third);
    const loaded = decode(recorded, metadataOf(recorded), key);
    expect(recorded.schemaVersion).toBe(1);
    expect(loaded.event).toEqual({ type: 'Weighed', data: { kilos: 0.25, text: 'net', place: 'unknown' } });
  });

  it('is upcast without its erased part', () => {
    const recorded = record(first, { grams: 250, note: 'net' });
    registry.set('Weighed', third);
    const loaded = decode(recorded, metadataOf(recorded), 'destroyed');
    expect(loaded).toMatchObject({ erased: true, event: { data: { kilos: 0.25, place: 'unknown' } } });
    expect(loaded.event.data).not.toHaveProperty('text');
  });

  it('is rejected by an older program', () => {
    const recorded = record(third, { kilos: 1, place: 'here' });
    registry.set('Weighed', first);
    expect(() => decode(recorded, metadataOf(recorded), key)).toThrow(/newer than this program/);
  });
});
