import { Readable } from 'node:stream';
import { z } from 'zod';
import { bulkStore, type BulkLineResult } from '../../commands/bulk-store.ts';
import { positionToken } from '../../domain/position.ts';
import { problemDocument } from '../problem.ts';
import { readLines } from '../ndjson.ts';
import { lineIdempotency } from '../idempotency.ts';
import { assertMediaType } from '../request.ts';
import { route } from '../route.ts';
import { bulkExample, bulkLineExample } from './examples.ts';

/** Bytes of answers that wait for a sender that reads none before it has sent everything; behind so many the body waits. */
const mostWaiting = 16 * 1024 * 1024;
const mediaTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

export const bulkRoute = route({
  method: 'post',
  path: '/v1/memories/bulk',
  operationId: 'bulkStore',
  summary: 'Store many memories, one JSON a line; answers line by line while it reads',
  tag: 'Memories',
  command: true,
  streamsBody: true,
  bodyExample: bulkExample,
  accepts: mediaTypes,
  responses: {
    200: {
      description: 'One result a line, in order',
      contentType: 'application/x-ndjson',
      example: bulkLineExample,
      schema: z
        .object({
          line: z.int(),
          status: z.int(),
          id: z.string().optional(),
          externalId: z.string().optional(),
          position: z.string().optional(),
          problem: z.record(z.string(), z.unknown()).optional(),
          replayed: z.literal(true).optional().meta({ description: 'Done before under the same key' }),
        })
        .meta({ id: 'BulkLine' }),
    },
  },
  async handle({ caller, assertStillValid, context, failure, koa, requestId }, services) {
    assertMediaType(koa, mediaTypes);
    const { idempotency: whole, ...each } = context;
    const { store, vault } = services.commands;
    const results = bulkStore(services.commands, {
      lines: readLines(koa.req),
      contextOf: (line, body) => {
        const idempotency = lineIdempotency(vault, caller, whole, line, body);
        return { ...each, ...(idempotency && { idempotency }) };
      },
      assertAllowed: assertStillValid,
      asProblem: failure,
    });
    const toLine = ({ position, problem, ...result }: BulkLineResult): string =>
      `${JSON.stringify({
        ...result,
        ...(position !== undefined && { position: positionToken(store.log.logId, position) }),
        ...(problem && { problem: problemDocument(problem, requestId) }),
      })}\n`;
    async function* answer(): AsyncGenerator<string> {
      for await (const result of results) yield toLine(result);
    }
    return {
      status: 200,
      body: Readable.from(answer(), { objectMode: false, highWaterMark: mostWaiting }),
      headers: { 'content-type': 'application/x-ndjson' },
    };
  },
});
