import { Readable } from 'node:stream';
import { z } from 'zod';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { causes } from '../../domain/access/context.ts';
import { eventDefinitions } from '../../domain/events/registry.ts';
import { text } from '../../domain/json.ts';
import { isPositionToken, parsePosition, positionToken } from '../../domain/position.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import {
  allAuditEvents,
  assertAuditor,
  followAuditEvents,
  readAuditEvents,
  type AuditFilter,
  type AuditRequest,
} from '../../queries/audit-events.ts';
import { fingerprintOf, readCursor, strangeCursor, writeCursor } from '../../queries/cursors.ts';
import type { Services } from '../../services.ts';
import {
  asSent,
  defaultLimit,
  integer,
  manyWords,
  readWait,
  timeParameter,
  waitParameters,
} from '../parameters.ts';
import { route, type Answer, type Call } from '../route.ts';
import { auditExample } from './examples.ts';

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
    cause: z.enum(causes),
    correlationId: z.string(),
    causationId: z.string().optional(),
    commandId: z.string().optional(),
    bodyHash: z.string().optional(),
    traceId: z.string().optional(),
    subject: z.string().optional().meta({ description: 'Whom the content is about, as a keyed hash' }),
    hash: z.string().meta({ description: 'SHA-256 of the stored bytes' }),
    reason: z.string().optional(),
    erased: z
      .boolean()
      .optional()
      .meta({ description: 'The key is destroyed: only readable fields are left' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent' });

const eventTypes = [...eventDefinitions.keys()] as [string, ...string[]];

const ndjson = 'application/x-ndjson';

/** Of events in one look at the log. */
const mostAtOnce = 500;

export const auditRoute = route({
  method: 'get',
  path: '/v1/audit/events',
  operationId: 'auditEvents',
  summary: 'The tenant’s events in the order of the log: a page, or a stream',
  tag: 'Audit',
  query: z.strictObject({
    stream: text(200).optional(),
    memory: text(100).optional(),
    actor: text(300).optional(),
    type: manyWords(z.enum(eventTypes)),
    from: timeParameter,
    to: timeParameter,
    after: z.string().optional(),
    follow: z.enum(['true', 'false']).optional(),
    limit: integer(1, mostAtOnce)
      .optional()
      .meta({ description: 'Of a page, default 50; of a stream, default all' }),
    cursor: z.string().optional(),
    ...waitParameters,
  }),
  responses: {
    200: {
      description: 'A page of events; as NDJSON with `Accept: application/x-ndjson` or `follow=true`',
      schema: z.object({
        items: z.array(auditEvent),
        nextCursor: z.string().optional(),
        position: z.string(),
      }),
      example: auditExample,
    },
  },
  async handle(call, services) {
    const { caller, context, query, koa } = call;
    assertAuditor(caller);
    const { store } = services.commands;
    const { logId } = store.log;
    const { follow, limit, cursor, after, minPosition, waitMs, ...filter } = query;
    const bound = fingerprintOf(filter);
    const begun = after === undefined ? 0 : parsePosition(logId, after, 'after');
    const seen = cursor === undefined ? 0 : lastSeen(cursor, bound, logId);
    const wait = readWait(store, { minPosition, waitMs });
    const request = {
      ...filter,
      ...wait,
      after: Math.max(begun, seen),
    };
    const look = { what: 'audit events', parameters: asSent(filter), ...memoryOf(filter) };
    const isFollowed = follow === 'true';
    if (isFollowed || koa.accepts('application/json', ndjson) === ndjson) {
      // Before the first byte: a stream that has begun cannot turn into a problem.
      await services.models.view({ projections: ['audit'], ...wait });
      await recordAuditRead(services.commands, context, { ...look, items: 0 });
      return streamOf(call, services, request, { isFollowed, limit });
    }
    const page = await readAuditEvents(store, services.models, caller, {
      ...request,
      limit: limit ?? defaultLimit,
    });
    await recordAuditRead(services.commands, context, { ...look, items: page.events.length });
    return {
      status: 200,
      body: {
        items: page.events.map((event) => shown(event, logId)),
        ...(page.next !== undefined && { nextCursor: writeCursor(positionToken(logId, page.next), bound) }),
        position: positionToken(logId, page.position),
      },
    };
  },
});

function lastSeen(cursor: string, bound: string, logId: string): number {
  const token = readCursor(cursor, bound);
  if (!isPositionToken(token)) throw strangeCursor();
  return parsePosition(logId, token, 'cursor');
}

/** Events as lines: all that there are, or, where they are followed, on and on as new ones come; at most `limit`. */
function streamOf(
  { caller, isStillValid, assertStillValid, closing, koa }: Call<unknown, unknown, unknown>,
  { commands: { store }, models }: Services,
  asked: Omit<AuditRequest, 'limit'>,
  { isFollowed, limit }: { readonly isFollowed: boolean; readonly limit: number | undefined },
): Answer {
  const stop = new AbortController();
  koa.res.on('close', () => stop.abort());
  // Its header has promised to keep the connection, for which a server that stops would wait.
  closing.addEventListener('abort', () => koa.res.once('finish', () => koa.req.socket.end()), {
    signal: stop.signal,
  });
  const request = { ...asked, limit: limit ?? mostAtOnce };
  const ended = AbortSignal.any([stop.signal, closing]);
  const pages = isFollowed
    ? followAuditEvents(store, models, caller, request, ended, isStillValid)
    : allAuditEvents(store, models, caller, request, assertStillValid);
  return {
    status: 200,
    // What is read ahead goes out whatever becomes of the credential, and may be large.
    body: Readable.from(linesOf(pages, limit, store.log.logId), { highWaterMark: 1 }),
    headers: { 'content-type': ndjson },
  };
}

async function* linesOf(
  pages: AsyncIterable<readonly LoadedEvent[]>,
  limit: number | undefined,
  logId: string,
): AsyncGenerator<string> {
  let left = limit ?? Infinity;
  for await (const events of pages) {
    const taken = events.slice(0, left);
    yield taken.map((event) => `${JSON.stringify(shown(event, logId))}\n`).join('');
    left -= taken.length;
    if (left === 0) return;
  }
}

function shown(
  { id, stream, revision, position, time, event, metadata, reason, erased }: LoadedEvent,
  logId: string,
) {
  const { tenant: _, keyId: __, ...rest } = metadata;
  return {
    id,
    type: event.type,
    stream,
    revision,
    position: positionToken(logId, position),
    at: time,
    ...rest,
    ...(reason !== undefined && { reason }),
    ...(erased && { erased }),
    data: withoutSecrets(event.data),
  };
}

function memoryOf({ memory }: AuditFilter): { memoryId?: string } {
  return memory === undefined ? {} : { memoryId: memory };
}

function withoutSecrets(data: object): object {
  const { secretHash: _, ...shown } = data as { secretHash?: string };
  return shown;
}
