import { z } from 'zod';
import { causes } from '../../domain/access/context.ts';
import { eventDefinitions } from '../../domain/events/registry.ts';
import { text } from '../../domain/json.ts';
import { identifier, layerSchema } from '../../domain/layers.ts';
import { isPositionToken } from '../../domain/position.ts';
import { Problem } from '../../domain/problems.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import {
  allAuditEvents,
  followAuditEvents,
  readAuditEvents,
  type AuditRequest,
} from '../../queries/audit-events.ts';
import { fingerprintOf, invalidCursor, readCursor, writeCursor } from '../../queries/cursors.ts';
import { asRecorded, defaultLimit, timeField, waitFields } from '../fields.ts';
import { scopeFields, scopeNamedBy } from '../scope-parameters.ts';
import { ItemStream, operation, type Call } from '../operation.ts';
import { auditExample } from './examples.ts';
import { auditors } from './roles.ts';

const auditEvent = z
  .object({
    id: z.string(),
    type: z.string(),
    stream: z.string(),
    revision: z.int().nonnegative(),
    position: z.string(),
    at: z.iso.datetime(),
    actor: z.string(),
    principal: z.string(),
    onBehalfOf: z.string().optional().meta({ description: 'User that the agent acted for' }),
    cause: z.enum(causes),
    correlationId: z.string(),
    causationId: z.string().optional(),
    commandId: z.string().optional(),
    bodyHash: z.string().optional(),
    traceId: z.string().optional(),
    subject: z
      .string()
      .optional()
      .meta({ description: 'Keyed hash of the person that the content is about' }),
    seeksConflicts: z.literal(true).optional().meta({
      description: 'Present if contradictions are sought after the answer, because `onConflict` was left out',
    }),
    hash: z.string().meta({ description: 'SHA-256 of the stored bytes' }),
    reason: z.string().optional(),
    erased: z
      .boolean()
      .optional()
      .meta({ description: 'Present if the key was destroyed; only the readable fields are left' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent' });

const eventTypes = [...eventDefinitions.keys()] as [string, ...string[]];

const orders = ['oldest', 'newest'] as const;
const formats = ['page', 'stream', 'csv'] as const;

/** Fields of an event in the order in which a table shows them. */
const columns = [
  'position',
  'at',
  'type',
  'actor',
  'onBehalfOf',
  'cause',
  'reason',
  'stream',
  'revision',
  'id',
  'principal',
  'correlationId',
  'causationId',
  'commandId',
  'bodyHash',
  'traceId',
  'subject',
  'seeksConflicts',
  'hash',
  'erased',
  'data',
] as const satisfies readonly (keyof z.infer<typeof auditEvent>)[];

/** Maximum number of events in one read of the log. */
const maxAtOnce = 500;

const auditInput = z.strictObject({
  stream: text(200).optional(),
  memory: text(100).optional(),
  actor: text(300).optional(),
  type: z.array(z.enum(eventTypes)).min(1).optional(),
  layer: z
    .array(layerSchema)
    .min(1)
    .optional()
    .meta({ description: 'Events that name one of these layers, or a memory in one' }),
  ...scopeFields,
  space: z
    .array(identifier)
    .min(1)
    .optional()
    .meta({ description: 'Events that name one of these spaces, or a memory that is or was in one' }),
  outcome: z.array(identifier).min(1).optional().meta({
    description:
      'Events with one of these outcomes: of an attempt, such as `failure`, of a decomposition, such as `complete`, or of an answer, such as `used`',
  }),
  from: timeField,
  to: timeField,
  after: z.string().optional(),
  order: z.enum(orders).optional().meta({
    description:
      'Order of a page: `oldest` or `newest` event first. Default: oldest. Streams and CSV begin with the oldest event',
  }),
  follow: z.boolean().optional(),
  limit: z
    .int()
    .min(1)
    .max(maxAtOnce)
    .optional()
    .meta({ description: 'Maximum number of events. Default: 50 for a page, no limit for a stream' }),
  cursor: z.string().optional(),
  ...waitFields,
  format: z.enum(formats).optional().meta({
    description:
      '`stream`: NDJSON. `csv`: a table with one line for each event. Default: by the header Accept, else a page; a followed answer is never a page',
  }),
});

type AuditEvent = ReturnType<typeof shown>;

interface EventPage {
  readonly items: readonly AuditEvent[];
  readonly nextCursor?: string;
  readonly position: string;
}

export const auditEvents = operation<typeof auditInput, EventPage | ItemStream<AuditEvent>>({
  name: 'auditEvents',
  summary: 'List the events of the tenant in the order of the log, as a page, a stream or a table',
  area: 'Audit',
  input: auditInput,
  output: z.object({
    items: z.array(auditEvent),
    nextCursor: z.string().optional(),
    position: z.string(),
  }),
  examples: { input: { type: ['MemoryDeleted'] }, output: auditExample },
  access: auditors,
  reads: 'read-models',
  awaitsOwn: ['audit'],
  cost: () => 0.5,
  shape: ({ follow, format }) => {
    if (follow) return 'followedAudit';
    return format === undefined || format === 'page' ? undefined : 'auditExport';
  },
  audit: { what: 'audit events', when: 'always' },
  async handle(call) {
    const { caller, services, wait, token } = call;
    const { follow, format, limit, cursor, after, order, minPosition: _, waitMs: __, ...filter } = call.input;
    const { store } = services.commands;
    const isNewestFirst = order === 'newest';
    const bound = fingerprintOf({ ...filter, ...(isNewestFirst && { order }) });
    const begun = after === undefined ? 0 : services.positions.parse(caller, after, 'after');
    const seen = cursor === undefined ? undefined : lastSeen(call, cursor, bound);
    const request = {
      ...filter,
      scope: scopeNamedBy(filter),
      ...wait,
      ...(isNewestFirst ? { order, after: begun, before: seen } : { after: Math.max(begun, seen ?? 0) }),
    };
    const read = {
      parameters: asRecorded(filter),
      ...(filter.memory !== undefined && { memoryId: filter.memory }),
    };
    const isPage = !follow && (format === undefined || format === 'page');
    if (isNewestFirst && !isPage) throw onlyPages();
    if (!isPage) {
      // Positions are checked before the first event: a stream that has begun cannot turn into a problem.
      await services.models.view({ projections: ['audit'], ...wait });
      return { output: streamOf(call, request), read: { ...read, items: 0 } };
    }
    const page = await readAuditEvents(store, services.models, caller, {
      ...request,
      limit: limit ?? defaultLimit,
    });
    const output = {
      items: page.events.map((event) => shown(event, token)),
      ...(page.next !== undefined && { nextCursor: writeCursor(token(page.next), bound) }),
      position: token(page.position),
    };
    return { output, read: { ...read, items: page.events.length } };
  },
});

function onlyPages(): Problem {
  const message = 'newest is for pages only: streams and CSV begin with the oldest event';
  return new Problem('validation-failed', `order: ${message}`, { errors: [{ path: 'order', message }] });
}

function lastSeen({ caller, services }: Call<unknown>, cursor: string, bound: string): number {
  const token = readCursor(cursor, bound);
  if (!isPositionToken(token)) throw invalidCursor();
  return services.positions.parse(caller, token, 'cursor');
}

/** All events that match, at most `limit`; a followed stream goes on as new ones arrive. */
function streamOf(
  { caller, input, services, signal, credential, token }: Call<z.output<typeof auditInput>>,
  asked: Omit<AuditRequest, 'limit'>,
): ItemStream<AuditEvent> {
  const { follow = false, limit = Infinity } = input;
  const { models, commands } = services;
  const { store } = commands;
  const request = { ...asked, limit: Math.min(limit, maxAtOnce) };
  const pages = follow
    ? followAuditEvents(store, models, caller, request, signal, credential.isStillValid)
    : allAuditEvents(store, models, caller, request, credential.assertStillValid);
  const events = firstOf(pages, limit, token);
  return new ItemStream(events, input.format === 'csv' ? columns : undefined);
}

async function* firstOf(
  pages: AsyncIterable<readonly LoadedEvent[]>,
  limit: number,
  token: Call<unknown>['token'],
) {
  let left = limit;
  for await (const events of pages) {
    const taken = events.slice(0, left);
    yield taken.map((event) => shown(event, token));
    left -= taken.length;
    if (left === 0) return;
  }
}

function shown(
  { id, stream, revision, position, time, event, metadata, reason, erased }: LoadedEvent,
  token: Call<unknown>['token'],
) {
  const { tenant: _, keyId: __, ...rest } = metadata;
  return {
    id,
    type: event.type,
    stream,
    revision,
    position: token(position),
    at: time,
    ...rest,
    ...(reason !== undefined && { reason }),
    ...(erased && { erased }),
    data: withoutSecrets(event.data),
  };
}

function withoutSecrets(data: object): object {
  const { secretHash: _, ...shown } = data as { secretHash?: string };
  return shown;
}
