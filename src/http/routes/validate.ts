import { z } from 'zod';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { text } from '../../domain/json.ts';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { positionToken } from '../../domain/position.ts';
import { validateMemories } from '../../queries/validate.ts';
import { readWait, waitFields } from '../parameters.ts';
import { route } from '../route.ts';
import { validateBodyExample, validateExample } from './examples.ts';

const mostIds = 100;

const confidence = z.number().meta({ description: 'Between 0 and 1' });
const fields = z.array(
  z.object({ field: z.string(), values: z.array(z.unknown()).length(2) }).meta({ id: 'FieldPair' }),
);
const links = z.array(
  z
    .object({ source: z.string(), type: linkTypeSchema, target: z.string(), confidence })
    .meta({ id: 'CitedLink' }),
);
const twoTexts = z.array(z.string()).length(2);
const reasonFields = { detail: z.string(), confidence };

const reason = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('link'), ...reasonFields, links }),
    z.object({ code: z.literal('circle'), ...reasonFields, links }),
    z.object({ code: z.literal('declared'), ...reasonFields, field: z.string(), value: z.string() }),
    z.object({ code: z.literal('restated'), ...reasonFields, same: fields, differs: fields }),
    z.object({
      code: z.literal('wording'),
      ...reasonFields,
      difference: z.enum(['number', 'date', 'negation', 'name', 'word']),
      words: twoTexts,
      passages: twoTexts,
    }),
  ])
  .meta({ id: 'Reason' });

const reasons = z.array(reason).meta({ description: 'The surest first' });

export const validateRoute = route({
  method: 'post',
  path: '/v1/memories/validate',
  operationId: 'validateMemories',
  summary: 'Find contradictions and supersessions among memories, with the reasons',
  tag: 'Memories',
  body: z
    .strictObject({ ids: z.array(text(100).min(1)).min(1).max(mostIds), ...waitFields })
    .meta({ id: 'Validate' }),
  bodyExample: validateBodyExample,
  responses: {
    200: {
      description: 'What was found',
      example: validateExample,
      schema: z
        .object({
          contradictions: z.array(z.object({ memories: z.array(z.string()).length(2), confidence, reasons })),
          supersessions: z.array(
            z.object({
              memory: z.string(),
              supersededBy: z.string(),
              confidence,
              reasons,
            }),
          ),
          notFound: z.array(z.string()).meta({
            description: 'Ids of no active memory that the caller sees; why, is not told',
          }),
          position: z.string(),
        })
        .meta({ id: 'ValidateAnswer' }),
    },
  },
  async handle({ caller, context, body }, services) {
    const { store } = services.commands;
    const { ids, ...wait } = body;
    const { compared, position, ...judgement } = await validateMemories(store.log, services.models, caller, {
      ids,
      ...readWait(store, wait),
    });
    await recordAuditRead(services.commands, context, {
      what: 'memory validation',
      items: compared,
      parameters: { ids },
    });
    return { status: 200, body: { ...judgement, position: positionToken(store.log.logId, position) } };
  },
});
