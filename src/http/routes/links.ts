import { z } from 'zod';
import { feedbackInput, giveFeedback } from '../../commands/give-feedback.ts';
import { linkInput, linkMemories, unlinkMemories } from '../../commands/link-memories.ts';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { isWatched } from '../../domain/access/watched.ts';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { memorySchema } from '../../domain/memory/view.ts';
import { positionToken } from '../../domain/position.ts';
import { findRelated, mostRelated } from '../../queries/related.ts';
import { asSent, integer, manyWords, readWait, waitParameters } from '../parameters.ts';
import { route } from '../route.ts';
import {
  feedbackExample,
  linkExample,
  memoryAnswerExample,
  positionExample,
  relatedExample,
} from './examples.ts';
import { memoryResult } from './memories.ts';

const tag = 'Memories';
const params = z.strictObject({ id: z.string() });
const linkParams = z.strictObject({ id: z.string(), type: linkTypeSchema, target: z.string() });
const memoryAnswer = z.object({ memory: memorySchema, position: z.string() }).meta({ id: 'LinkAnswer' });

export const linkRoutes = [
  route({
    method: 'put',
    path: '/v1/memories/:id/links/:type/:target',
    operationId: 'linkMemories',
    summary: 'Link a memory to another, or change the confidence of the link',
    tag,
    command: true,
    params: linkParams,
    body: linkInput,
    bodyExample: linkExample,
    bodyOptional: true,
    responses: {
      200: { description: 'Linked; the source', schema: memoryAnswer, example: memoryAnswerExample },
    },
    async handle({ context, params: { id, type, target }, body }, services) {
      const result = await linkMemories(services.commands, context, id, type, target, body.confidence);
      return memoryResult(services, context, result);
    },
  }),
  route({
    method: 'delete',
    path: '/v1/memories/:id/links/:type/:target',
    operationId: 'unlinkMemories',
    summary: 'Take a link away',
    tag,
    command: true,
    params: linkParams,
    responses: {
      200: { description: 'Not linked; the source', schema: memoryAnswer, example: memoryAnswerExample },
    },
    async handle({ context, params: { id, type, target } }, services) {
      const result = await unlinkMemories(services.commands, context, id, type, target);
      return memoryResult(services, context, result);
    },
  }),
  route({
    method: 'get',
    path: '/v1/memories/:id/related',
    operationId: 'relatedMemories',
    summary: 'Follow links from a memory, both ways, nearest first',
    tag,
    params,
    query: z.strictObject({
      types: manyWords(linkTypeSchema),
      depth: integer(1, 5).optional(),
      ...waitParameters,
    }),
    responses: {
      200: {
        description: `The nearest related memories, an item for each link of the last hop, at most ${mostRelated}`,
        example: relatedExample,
        schema: z.object({
          items: z
            .array(
              z.object({
                memory: memorySchema,
                type: linkTypeSchema,
                direction: z.enum(['outgoing', 'incoming']),
                confidence: z.number(),
                depth: z.int(),
                via: z.string(),
              }),
            )
            .max(mostRelated),
          truncated: z.literal(true).optional().meta({
            description:
              'There may be more: ask for fewer `types`, less `depth`, or from one of these memories',
          }),
          position: z.string(),
        }),
      },
    },
    async handle({ caller, context, params: { id }, query: { types, depth = 1, ...wait } }, services) {
      const { store } = services.commands;
      const request = { types, depth, ...readWait(store, wait) };
      const { of, items, truncated, position } = await findRelated(
        store,
        services.models,
        caller,
        id,
        request,
      );
      if (isWatched(caller, [of, ...items.map(({ memory }) => memory)])) {
        const parameters = asSent({ types, depth });
        const look = { what: 'related memories', memoryId: id, items: items.length, parameters };
        await recordAuditRead(services.commands, context, look);
      }
      const token = positionToken(store.log.logId, position);
      return { status: 200, body: { items, ...(truncated && { truncated }), position: token } };
    },
  }),
  route({
    method: 'post',
    path: '/v1/memories/:id/feedback',
    operationId: 'giveFeedback',
    summary: 'Say what a memory was worth',
    tag,
    command: true,
    params,
    body: feedbackInput,
    bodyExample: feedbackExample,
    responses: {
      200: { description: 'Taken', schema: z.object({ position: z.string() }), example: positionExample },
    },
    async handle({ context, params, body }, services) {
      const { position, replayed } = await giveFeedback(services.commands, context, params.id, body);
      return {
        status: 200,
        body: { position: positionToken(services.commands.store.log.logId, position) },
        replayed,
      };
    },
  }),
];
