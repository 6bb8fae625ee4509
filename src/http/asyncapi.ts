import { z } from 'zod';
import { causes } from '../domain/access/context.ts';
import { dataSchemaOf, watermarkType } from '../domain/contract/cloud-event.ts';
import {
  defaultTopicPrefix,
  kindOfCategory,
  topicsOf,
  type ContractTopic,
  type TopicKind,
} from '../domain/contract/topics.ts';
import type { AnyEventDefinition } from '../domain/events/define.ts';
import { eventDefinitions } from '../domain/events/registry.ts';
import { maxRecordBytes } from '../ports/transport.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const bindingVersion = '0.5.0';
const dayMs = 24 * 60 * 60 * 1_000;

const purposes: Readonly<Record<TopicKind, string>> = {
  events:
    'Memories that were stored, changed, linked, rated and deleted, and the tenants and keys they belong to.',
  retrieval: 'Who searched, what was read, and who read the audit.',
  internal:
    'Events of the program itself. They are not part of the contract and may change with any version.',
};

/** The topics as AsyncAPI 3.0, from the definitions that validate the events. */
export function asyncApiDocument(prefix: string = defaultTopicPrefix) {
  const definitions = [...eventDefinitions.values()];
  const topics = topicsOf(prefix);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Stratalog',
      version: '1',
      description: `Every event of the log as a CloudEvent 1.0 in Kafka's binary mode. Each stream is in one partition, in order. Events are delivered at least once: in each partition, skip records whose ce_position is not greater than the largest one you have seen. The topics also hold watermarks; an event of more than ${maxRecordBytes} bytes is replaced by a record without data.`,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(topics.map((topic) => [topic.kind, channelOf(topic, definitions)])),
    operations: Object.fromEntries(
      topics.map(({ kind }) => [
        `publish-${kind}`,
        { action: 'send', channel: { $ref: `#/channels/${kind}` }, summary: purposes[kind] },
      ]),
    ),
    components: {
      messages: {
        ...Object.fromEntries(definitions.map((definition) => [definition.type, messageOf(definition)])),
        Withheld: withheld,
        Watermark: watermark,
      },
      schemas: {
        ...Object.fromEntries(
          definitions.map((definition) => [`${definition.type}Data`, dataSchema(definition)]),
        ),
        EventAttributes: eventAttributes,
        Metadata: metadata,
      },
    },
  };
}

function channelOf(
  { kind, name, partitions, retentionMs }: ContractTopic,
  definitions: AnyEventDefinition[],
) {
  const own = definitions.filter(({ category }) => kindOfCategory(category) === kind).map(({ type }) => type);
  return {
    address: name,
    title: name,
    description: `${purposes[kind]} Kept for ${retentionMs / dayMs} days; the log keeps everything.`,
    messages: Object.fromEntries(
      [...own, 'Withheld', 'Watermark'].map((type) => [type, { $ref: `#/components/messages/${type}` }]),
    ),
    bindings: {
      kafka: {
        topic: name,
        partitions,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': retentionMs },
        bindingVersion,
      },
    },
  };
}

function messageOf({ type, version, routing, sealed }: AnyEventDefinition) {
  const clear = Object.keys(routing.shape);
  const secret = Object.keys(sealed.shape);
  return {
    name: type,
    title: type,
    summary:
      secret.length === 0
        ? 'All data is readable.'
        : `Readable: ${clear.join(', ')}. Sealed, as ciphertext: ${secret.join(', ')}.`,
    contentType: 'application/json',
    headers: {
      type: 'object',
      allOf: [
        { $ref: '#/components/schemas/EventAttributes' },
        {
          type: 'object',
          properties: {
            ce_type: { const: type },
            ce_schemaversion: { const: `${version}` },
            ce_dataschema: { const: dataSchemaOf(type, version) },
          },
        },
      ],
      required: ['ce_metadata'],
    },
    payload: { $ref: `#/components/schemas/${type}Data` },
    bindings: {
      kafka: { key: { type: 'string', description: 'The stream, as in ce_subject' }, bindingVersion },
    },
  };
}

/** Schema of the data as it is stored: readable fields for routing, the others as one ciphertext. */
function dataSchema({ type, version, routing, sealed }: AnyEventDefinition): JsonSchema {
  const secret = Object.keys(sealed.shape);
  const holds = [secret.join(', '), 'the X-Reason of the command, if any'].filter(Boolean).join(', and ');
  const alwaysSealed = !sealed.safeParse({}).success;
  const open = z.toJSONSchema(routing, { io: 'input', target: 'draft-7' });
  return {
    $id: dataSchemaOf(type, version),
    title: `${type}, version ${version}`,
    type: 'object',
    properties: {
      routing: { type: 'object', properties: open.properties ?? {}, required: open.required ?? [] },
      sealed: {
        type: 'string',
        contentEncoding: 'base64',
        description: `AES-256-GCM under the key that ce_metadata names in keyId; unreadable forever once that key is destroyed. Holds ${holds}.`,
      },
      encoding: {
        type: 'string',
        enum: ['deflate-raw'],
        description:
          'How the JSON in `sealed` was compressed before it was encrypted (RFC 1951); absent if it was not',
      },
    },
    required: alwaysSealed ? ['routing', 'sealed'] : ['routing'],
  };
}

const wholeNumber = { type: 'string', pattern: '^(0|[1-9][0-9]*)$' };
const logId = {
  type: 'string',
  description: 'Id of the log; positions of different logs cannot be compared',
};
const text = (description: string): JsonSchema => ({ type: 'string', description });

const eventAttributes: JsonSchema = {
  type: 'object',
  properties: {
    ce_specversion: { const: '1.0' },
    ce_id: {
      type: 'string',
      format: 'uuid',
      description: 'Id of the event; the same if the event is delivered again',
    },
    ce_source: logId,
    ce_type: text('Type of the event'),
    ce_subject: text('Stream of the event, `<category>-<tenant>.<id>`; also the key of the record'),
    ce_time: { type: 'string', format: 'date-time', description: 'Time at which the log accepted the event' },
    ce_dataschema: text('`$id` of the schema of the data'),
    ce_position: {
      ...wholeNumber,
      description: 'Position of the event in the whole log; grows with every event',
    },
    ce_revision: {
      ...wholeNumber,
      description: 'Revision of the event in its stream; 0 for the first event',
    },
    ce_schemaversion: { ...wholeNumber, description: 'Version of the schema of this event type' },
    ce_traceparent: text(
      'Span that appended the event, as in the header `traceparent` (W3C Trace Context); only where spans are recorded',
    ),
    ce_metadata: {
      type: 'string',
      contentMediaType: 'application/json',
      description: 'Who caused the event, why and by which command, as JSON text; see the schema Metadata',
    },
    'content-type': { const: 'application/json' },
  },
  required: [
    'ce_specversion',
    'ce_id',
    'ce_source',
    'ce_type',
    'ce_subject',
    'ce_time',
    'ce_dataschema',
    'ce_position',
    'ce_revision',
    'ce_schemaversion',
  ],
};

const metadata: JsonSchema = {
  type: 'object',
  properties: {
    tenant: text('Tenant that the event belongs to'),
    actor: text(
      'Who caused the event, as shown in the history: `user:alice`, `agent:helper`, `key:…` or `system`',
    ),
    principal: text('Credential that was used'),
    onBehalfOf: text('User that the agent acted for'),
    cause: { type: 'string', enum: [...causes], description: 'Kind of caller that caused the event' },
    correlationId: text('Id of the request'),
    causationId: text('Id of the event that led to this one'),
    commandId: text('Id of the command; the same for all its repetitions'),
    bodyHash: text('Keyed hash of the canonical arguments of the command'),
    traceId: text('W3C trace id of the request'),
    spanId: text('Id of the span that appended the event, where spans are recorded'),
    seeksConflicts: {
      type: 'boolean',
      description: 'Whether the conflicts of the memory are looked for after the command',
    },
    keyId: text('Id of the key that seals the data'),
    subject: text('Keyed hash of the person that the content is about'),
    hash: text('SHA-256, in hex, of id, stream, type, version, data and metadata as they are stored'),
  },
  required: ['tenant', 'actor', 'principal', 'cause', 'correlationId', 'hash'],
};

const withheld = {
  name: 'Withheld',
  title: 'An event that is too large for Kafka',
  summary: `Replaces an event of more than ${maxRecordBytes} bytes: its key and attributes with ce_dataref, without data and metadata, which are in the log.`,
  headers: {
    type: 'object',
    allOf: [
      { $ref: '#/components/schemas/EventAttributes' },
      { type: 'object', properties: { ce_dataref: text('`urn:stratalog:log:<log>:<position>`') } },
    ],
    required: ['ce_dataref'],
  },
  payload: { type: 'string', maxLength: 0 },
  bindings: { kafka: { key: { type: 'string', description: 'The stream' }, bindingVersion } },
};

const watermark = {
  name: 'Watermark',
  title: 'How far a partition is complete',
  summary:
    'Every event of this partition up to ce_position was written before this record. Written to every partition, at most ten times a second while the log grows, and once when it stops growing.',
  headers: {
    type: 'object',
    properties: {
      ce_specversion: { const: '1.0' },
      ce_id: text('Position of the watermark'),
      ce_source: logId,
      ce_type: { const: watermarkType },
      ce_position: wholeNumber,
    },
    required: ['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_position'],
  },
  payload: { type: 'string', maxLength: 0 },
  bindings: { kafka: { key: { type: 'null', description: 'None' }, bindingVersion } },
};
