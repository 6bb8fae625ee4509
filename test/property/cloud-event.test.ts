import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromRecord,
  toRecord,
  toWatermark,
  toWithheldRecord,
  type ContractEvent,
  type ContractRecord,
} from '../../src/domain/contract/cloud-event.ts';
import { kindOfCategory, kindsOfTypes, topicKinds, topicsOf } from '../../src/domain/contract/topics.ts';
import { eventDefinitions } from '../../src/domain/events/registry.ts';
import type { RecordedEvent } from '../../src/ports/event-log.ts';
import type { OutgoingRecord, TopicDefinition } from '../../src/ports/transport.ts';
import { json } from '../support/json-values.ts';

const word = fc.string({ unit: 'grapheme', minLength: 1 });
const jsonText = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value, null, 2)),
  fc.constant('{"n":1.0e2,  "n":-0}'),
);

/** Any event that a log can contain. */
const recorded: fc.Arbitrary<RecordedEvent> = fc.record({
  id: fc.uuid(),
  type: fc.oneof(fc.constantFrom(...eventDefinitions.keys()), word),
  schemaVersion: fc.integer({ min: 1, max: 32_767 }),
  data: jsonText,
  metadata: jsonText,
  stream: fc.oneof(
    fc
      .tuple(fc.constantFrom('memory', 'retrieval', 'projection'), fc.stringMatching(/^[a-z0-9_]+$/), word)
      .map(([category, tenant, id]): ContractEvent['stream'] => `${category}-${tenant}.${id}`),
    word.map((name) => name as ContractEvent['stream']),
  ),
  revision: fc.nat(),
  position: fc.maxSafeNat(),
  time: fc.date({ noInvalidDate: true }),
});

const source = { logId: '5f2b9c0d-1e3a-4765-8899-aabbccddeeff', prefix: 'acme' };

describe('[G5] a record of an event', () => {
  it('converts back to the same event', () => {
    fc.assert(
      fc.property(recorded, (event) => {
        const record: OutgoingRecord = toRecord(event, source);
        expect(fromRecord(record)).toEqual({ kind: 'event', logId: source.logId, event });
      }),
    );
  });

  it('has the span that appended it, by the extension of distributed tracing', () => {
    const [event] = fc.sample(recorded, 1);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headersOf = (metadata: object) =>
      toRecord({ ...event!, metadata: JSON.stringify(metadata) }, source).headers;
    expect(headersOf({ traceId, spanId: '00f067aa0ba902b7' })['ce_traceparent']).toBe(
      `00-${traceId}-00f067aa0ba902b7-01`,
    );
    expect(headersOf({ traceId })).not.toHaveProperty('ce_traceparent');
  });

  it('is a CloudEvent 1.0 in binary mode', () => {
    fc.assert(
      fc.property(recorded, (event) => {
        const { key, value, headers } = toRecord(event, source);
        expect({ key, value }).toEqual({ key: event.stream, value: event.data });
        expect(headers).toMatchObject({
          ce_specversion: '1.0',
          ce_id: event.id,
          ce_source: source.logId,
          ce_type: event.type,
          ce_subject: event.stream,
          ce_time: event.time.toISOString(),
          'content-type': 'application/json',
        });
        // The specification requires lower-case letters and digits in attribute names.
        for (const name of Object.keys(headers)) expect(name).toMatch(/^(ce_[a-z0-9]{1,20}|content-type)$/);
      }),
    );
  });

  it('contains only the position of an event that is too large to be sent', () => {
    fc.assert(
      fc.property(recorded, (event) => {
        const { data, metadata, ...place } = event;
        const record = toWithheldRecord(event, source);
        expect(record).toMatchObject({ topic: toRecord(event, source).topic, key: event.stream, value: '' });
        expect(Object.keys(record.headers)).not.toContain('ce_metadata');
        expect(fromRecord(record)).toEqual({ kind: 'withheld', logId: source.logId, place });
      }),
    );
  });
});

describe('[G5] a watermark', () => {
  it('converts back to its position and log', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (position) => {
        const record = toWatermark(position, source.logId);
        expect(record.key).toBeNull();
        expect(fromRecord(record)).toEqual({ kind: 'watermark', logId: source.logId, position });
      }),
    );
  });
});

describe('[G5] a record that is not ours', () => {
  const event: RecordedEvent = {
    id: '0197c1a2-0000-7000-8000-000000000001',
    type: 'MemoryStored',
    schemaVersion: 1,
    data: '{}',
    metadata: '{}',
    stream: 'memory-acme.1',
    revision: 0,
    position: 1,
    time: new Date(0),
  };
  const good = toRecord(event, source);

  it.each([
    'ce_specversion',
    'ce_id',
    'ce_source',
    'ce_type',
    'ce_subject',
    'ce_time',
    'ce_position',
    'ce_revision',
    'ce_schemaversion',
    'ce_metadata',
  ])('is reported if %s is missing or wrong', (name) => {
    const { [name]: _, ...headers } = good.headers;
    expect(fromRecord({ ...good, headers })).toEqual({ kind: 'foreign', reason: expect.any(String) });
  });

  it.each(['', '-1', '1.5', '01', '0x1', '1e3', ' 1', '9007199254740992', 'NaN'])(
    'is reported if a number is %j',
    (text) => {
      for (const name of ['ce_position', 'ce_revision', 'ce_schemaversion'])
        expect(fromRecord({ ...good, headers: { ...good.headers, [name]: text } })).toMatchObject({
          kind: 'foreign',
        });
    },
  );

  it('never causes an error', () => {
    const names = Object.keys(good.headers);
    const record: fc.Arbitrary<ContractRecord> = fc.record({
      key: fc.option(fc.string()),
      value: fc.string(),
      headers: fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.string()),
    });
    fc.assert(fc.property(record, (any) => void fromRecord(any)));
  });
});

describe('[G5] topics', () => {
  it('are three per prefix, each with 12 partitions and limited retention', () => {
    const topics: readonly TopicDefinition[] = topicsOf('acme');
    expect(topics.map(({ name, partitions }) => [name, partitions])).toEqual([
      ['acme.events', 12],
      ['acme.retrieval', 12],
      ['acme.internal', 12],
    ]);
    for (const { retentionMs } of topics) expect(retentionMs).toBeGreaterThan(0);
  });

  it('separate internal and unknown events from the others', () => {
    for (const category of ['projection', 'policy', 'unknown', '', 'toString'])
      expect(kindOfCategory(category)).toBe('internal');
  });

  it('contain each event type in exactly one topic', () => {
    for (const type of eventDefinitions.keys()) expect(kindsOfTypes([type])).toHaveLength(1);
    expect(kindsOfTypes(['SearchPerformed', 'MemoryStored', 'MemoryDeleted'])).toEqual([
      'events',
      'retrieval',
    ]);
    expect(kindsOfTypes(eventDefinitions.keys())).toEqual(topicKinds);
    expect(() => kindsOfTypes(['Unheard'])).toThrow('Unheard');
  });
});
