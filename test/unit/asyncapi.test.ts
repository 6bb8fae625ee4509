import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { readFolder } from '../../schemas/event-schemas.ts';
import type { GoldenEvent } from '../../schemas/golden-events.ts';
import {
  fromRecord,
  toRecord,
  toWatermark,
  toWithheldRecord,
  type ContractMessage,
  type ContractRecord,
} from '../../src/domain/contract/cloud-event.ts';
import { kindOfCategory, topicKinds, topicName } from '../../src/domain/contract/topics.ts';
import { eventDefinitions } from '../../src/domain/events/registry.ts';
import { asyncApiDocument } from '../../src/http/asyncapi.ts';

type Json = Readonly<Record<string, unknown>>;

const document = asyncApiDocument('acme');
const schemas = path.resolve(import.meta.dirname, '../../schemas');
const golden = [...(await readFolder(path.join(schemas, 'golden'))).values()].map((file) => {
  const { recorded } = file as unknown as GoldenEvent;
  return { ...recorded, time: new Date(recorded.time) };
});
/** The document describes the current version of each event; older versions keep their schema. */
const present = golden.filter(
  ({ type, schemaVersion }) => schemaVersion === eventDefinitions.get(type)!.version,
);
const source = { logId: '5f2b9c0d-1e3a-4765-8899-aabbccddeeff', prefix: 'acme' };

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'asyncapi', undefined, false);

/** Errors of a record according to its message in the document. */
function faultsOf(message: string, { key, value, headers }: ContractRecord): unknown[] {
  const of = (place: string): ValidateFunction =>
    ajv.compile({ $ref: `asyncapi#/components/messages/${message}/${place}` });
  const checks: [ValidateFunction, unknown][] = [
    [of('headers'), headers],
    [of('payload'), value === '' ? value : JSON.parse(value)],
    [of('bindings/kafka/key'), key],
  ];
  return checks.flatMap(([validate, part]) => (validate(part) ? [] : validate.errors!));
}

describe('[G5] the AsyncAPI document', () => {
  it('is valid AsyncAPI 3.0', async () => {
    const official = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
    // The document schema includes the JSON Schema meta-schema.
    const validator = new Ajv({ strict: false, meta: false, validateSchema: false, validateFormats: false });
    const validate = validator.compile(JSON.parse(await readFile(official, 'utf8')) as Json);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    validate({ ...document, channels: { events: { address: 7 } } });
    expect(validate.errors).not.toEqual([]);
  });

  it('resolves every reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, to]) => to!);
    expect(references.length).toBeGreaterThan(40);
    for (const to of references) {
      let place: unknown = document;
      for (const key of to.split('/')) place = (place as Json)[key];
      expect(place, to).toBeTypeOf('object');
    }
  });

  it('lists every event in the channel of its topic, and in no other', () => {
    for (const kind of topicKinds) {
      const channel = document.channels[kind]!;
      const wanted = [...eventDefinitions.values()].filter(
        ({ category }) => kindOfCategory(category) === kind,
      );
      expect(channel.address).toBe(topicName('acme', kind));
      expect(Object.keys(channel.messages).sort()).toEqual(
        [...wanted.map(({ type }) => type), 'Watermark', 'Withheld'].sort(),
      );
      expect(channel.bindings.kafka).toMatchObject({ topic: channel.address, partitions: 12 });
    }
  });

  it.each(present.map((event) => [event.type, event] as const))(
    'describes the records of %s, without sealed fields in clear text',
    (type, event) => {
      const record = toRecord(event, source);
      expect(faultsOf(type, record)).toEqual([]);
      const { routing } = JSON.parse(record.value) as { routing: Json };
      for (const name of Object.keys(eventDefinitions.get(type)!.sealed.shape))
        expect(routing).not.toHaveProperty(name);
      const metadata = JSON.parse(record.headers['ce_metadata']!) as Json;
      const validate = ajv.compile({ $ref: 'asyncapi#/components/schemas/Metadata' });
      expect(validate(metadata), JSON.stringify(validate.errors)).toBe(true);
      const described = document.components.schemas['Metadata'] as { properties: Json };
      expect(Object.keys(described.properties)).toEqual(expect.arrayContaining(Object.keys(metadata)));
    },
  );

  it('describes watermarks and events without data', () => {
    expect(faultsOf('Watermark', toWatermark(41, source.logId))).toEqual([]);
    expect(faultsOf('Withheld', toWithheldRecord(golden[0]!, source))).toEqual([]);
  });

  it('describes no other records', () => {
    const event = golden.find(({ type }) => type === 'MemoryStored')!;
    const good = toRecord(event, source);
    const { ce_position: _, ...headers } = good.headers;
    const wrong: ContractMessage[] = [
      { ...good, headers },
      { ...good, headers: { ...good.headers, ce_type: 'MemoryDeleted' } },
      { ...good, value: '{"routing":{}}' },
      { ...good, value: '{}' },
    ];
    for (const record of wrong) expect(faultsOf('MemoryStored', record)).not.toEqual([]);
    expect(faultsOf('Watermark', good)).not.toEqual([]);
    expect(faultsOf('Withheld', good)).not.toEqual([]);
  });
});

describe('[G5] the checked-in records', async () => {
  const file = path.join(schemas, 'golden-records.json');
  const records = JSON.parse(await readFile(file, 'utf8')) as Record<string, ContractMessage>;
  const event = golden.find(({ type }) => type === 'MemoryStored')!;
  const { data: _, metadata: __, ...place } = event;

  it('can be read by later programs', () => {
    expect(fromRecord(records['event']!)).toEqual({ kind: 'event', logId: source.logId, event });
    expect(fromRecord(records['withheld']!)).toEqual({ kind: 'withheld', logId: source.logId, place });
    expect(fromRecord(records['watermark']!)).toEqual({
      kind: 'watermark',
      logId: source.logId,
      position: 41,
    });
  });

  it('are still written with everything that consumers can rely on', () => {
    expect(toRecord(event, source)).toMatchObject(records['event']!);
    expect(toWithheldRecord(event, source)).toMatchObject(records['withheld']!);
    expect(toWatermark(41, source.logId)).toMatchObject(records['watermark']!);
  });
});
