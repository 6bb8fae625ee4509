import { Readable } from 'node:stream';
import { z } from 'zod';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { eventDefinitions } from '../../domain/events/registry.ts';
import { causes } from '../../domain/access/context.ts';
import { text } from '../../domain/json.ts';
import { layerSchema } from '../../domain/layers.ts';
import { positionToken, parsePosition } from '../../domain/position.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import {
  assertAuditor,
  followAuditEvents,
  readAuditEvents,
  type AuditFilter,
} from '../../queries/audit-events.ts';
import { fingerprintOf, readCursor, writeCursor } from '../../queries/cursors.ts';
import { readStats } from '../../queries/stats.ts';
import {
  asSent,
  defaultLimit,
  integer,
  manyWords,
  readWait,
  timeParameter,
  waitParameters,
} from '../parameters.ts';
import { route } from '../route.ts';
import { auditExample, statsExample } from './examples.ts';

const count = z.int().nonnegative();
const amount = { active: count, deleted: count, characters: count };

const statsSchema = z
  .object({
    tenant: z.string(),
    coverage: z
      .enum(['tenant', 'visible'])
      .meta({ description: 'The whole tenant, or what the caller may see' }),
    total: z.object(amount),
    layers: z.array(z.object({ layer: layerSchema, ...amount })),
    spaces: z.array(z.object({ space: z.string(), ...amount })),
    access: z.object({ total: count, memories: count, lastAt: z.iso.datetime().optional() }),
    feedback: z.object({ total: count }),
    position: z.string(),
  })
  .meta({ id: 'Stats' });

export const statsRoute = route({
  method: 'get',
  path: '/v1/stats',
  operationId: 'stats',
  summary: 'Counts, sizes and use: of the tenant, or of what the caller may see',
  tag: 'Operation',
  query: z.strictObject(waitParameters),
  responses: { 200: { description: 'Figures', schema: statsSchema, example: statsExample } },
  async handle({ caller, context, query }, services) {
    const { store } = services.commands;
    const { position, ...stats } = await readStats(services.models, caller, readWait(store, query));
    const { coverage, total } = stats;
    if (coverage === 'tenant')
      await recordAuditRead(services.commands, context, {
        what: 'figures',
        items: total.active + total.deleted,
      });
    return { status: 200, body: { ...stats, position: positionToken(store.log.logId, position) } };
  },
});

const auditEvent = z
  .object({
    id: z.string(),
    type: z.string(),
    stream: z.string(),
    revision: count,
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
    after: z.string().max(64).optional(),
    follow: z.enum(['true', 'false']).optional(),
    limit: integer(1, mostAtOnce)
      .optional()
      .meta({ description: 'Of a page, default 50; of a stream, default all' }),
    cursor: z.string().max(100).optional(),
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
  async handle({ caller, isStillValid, assertStillValid, closing, context, query, koa }, services) {
    assertAuditor(caller);
    const { store } = services.commands;
    const { logId } = store.log;
    const { follow, limit, cursor, after, minPosition, waitMs, ...filter } = query;
    const bound = fingerprintOf(filter);
    const from = cursor === undefined ? after : readCursor(cursor, bound);
    const start = from === undefined ? 0 : parsePosition(logId, from, 'after');
    const request = { ...filter, after: start, ...readWait(store, { minPosition, waitMs }) };
    const atOnce = limit ?? mostAtOnce;
    const look = { what: 'audit events', items: 0, parameters: asSent(filter), ...memoryOf(filter) };
    const asStream =
      follow === 'true' || koa.accepts('application/json', 'application/x-ndjson') === 'application/x-ndjson';
    if (asStream) {
      // Before the first byte: a stream that has begun cannot turn into a problem.
      await services.models.view({ projections: ['audit'], ...readWait(store, { minPosition, waitMs }) });
      await recordAuditRead(services.commands, context, look);
      const stop = new AbortController();
      koa.res.on('close', () => stop.abort());
      // Its header has promised to keep the connection, for which a server that stops would wait.
      closing.addEventListener('abort', () => koa.res.once('finish', () => koa.req.socket.end()), {
        signal: stop.signal,
      });
      const pages =
        follow === 'true'
          ? followAuditEvents(
              store,
              services.models,
              caller,
              { ...request, limit: atOnce },
              AbortSignal.any([stop.signal, closing]),
              isStillValid,
            )
          : allPages();
      return {
        status: 200,
        // What is read ahead goes out whatever becomes of the credential, and may be large.
        body: Readable.from(lines(pages), { highWaterMark: 1 }),
        headers: { 'content-type': 'application/x-ndjson' },
      };
    }
    const page = await readAuditEvents(store, services.models, caller, {
      ...request,
      limit: limit ?? defaultLimit,
    });
    await recordAuditRead(services.commands, context, { ...look, items: page.events.length });
    return {
      status: 200,
      body: {
        items: page.events.map(shown),
        ...(page.next !== undefined && { nextCursor: writeCursor(positionToken(logId, page.next), bound) }),
        position: positionToken(logId, page.position),
      },
    };

    async function* allPages(): AsyncGenerator<readonly LoadedEvent[]> {
      for (let next: number | undefined = start; next !== undefined;) {
        const page = await readAuditEvents(store, services.models, caller, {
          ...request,
          after: next,
          limit: atOnce,
        });
        // Followed, a stream just ends: nobody takes it for whole. This one has an end of its own, so it breaks off.
        await assertStillValid();
        yield page.events;
        ({ next } = page);
      }
    }

    async function* lines(pages: AsyncIterable<readonly LoadedEvent[]>): AsyncGenerator<string> {
      let left = limit ?? Infinity;
      for await (const events of pages) {
        const taken = events.slice(0, left);
        yield taken.map((event) => `${JSON.stringify(shown(event))}\n`).join('');
        left -= taken.length;
        if (left === 0) return;
      }
    }

    function shown({ id, stream, revision, position, time, event, metadata, reason, erased }: LoadedEvent) {
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
  },
});

function memoryOf({ memory }: AuditFilter): { memoryId?: string } {
  return memory === undefined ? {} : { memoryId: memory };
}

function withoutSecrets(data: object): object {
  const { secretHash: _, ...shown } = data as { secretHash?: string };
  return shown;
}
