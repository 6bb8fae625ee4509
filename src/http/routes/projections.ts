import { z } from 'zod';
import { hasRole, type TenantContext } from '../../domain/access/context.ts';
import { answerOnce, carryOutOnce } from '../../commands/answer-once.ts';
import { callerKey, eventContext, type CommandContext } from '../../commands/context.ts';
import { text } from '../../domain/json.ts';
import { positionToken } from '../../domain/position.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { modelComparison } from '../../domain/retrieval/model-comparison.ts';
import {
  EmbedderUnavailable,
  WrongDimension,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import { inBackground } from '../../support/background.ts';
import type { EventContext } from '../../ports/event-store.ts';
import { untilLogReaches } from '../../queries/read-models.ts';
import type { Services } from '../../services.ts';
import { readWait, waitParameters } from '../parameters.ts';
import { emptyBody, route } from '../route.ts';
import { queryText } from '../search-fields.ts';
import {
  parkedExample,
  projectionsExample,
  rebuildAnswerExample,
  rebuildExample,
  retriedExample,
  skippedExample,
  switchedExample,
} from './operation-examples.ts';

const tag = 'Administration';
const params = z.strictObject({ name: z.string() });
/** Of vectors: which model makes them, and what the answers of both models are compared by. */
const rebuildBody = z.strictObject({
  embedder: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Registered embedding model, by name or id: for `vectors` only' }),
  queries: z.array(queryText).min(1).max(1_000).optional().meta({
    description:
      "Both models answer these in the caller's tenant, instead of searches that were recorded lately",
  }),
});
const parkedStream = z.strictObject({ stream: text(200).min(1) });
const accepted = z.object({ projection: z.string(), generation: z.int(), position: z.string() });
const switched = z.object({
  projection: z.string(),
  from: z.int(),
  to: z.int(),
  ended: z.literal(true).optional().meta({
    description: 'Of a roll-back: `from` was still being built and is gone; queries read `to`, as before',
  }),
  position: z.string(),
});

const generationStatus = z.object({
  generation: z.int(),
  state: z.enum(['live', 'building', 'ready', 'standby', 'failed']),
  signature: z.string().meta({ description: 'Version of the projection and what else its rows depend on' }),
  active: z.boolean().meta({ description: 'Queries read it' }),
  lock: z.enum(['here', 'elsewhere', 'free']).meta({ description: 'Which process keeps it up with the log' }),
  position: z.int().meta({ description: 'Bookmark: the last position of the log that it includes' }),
  partitions: z
    .array(z.object({ partition: z.string(), position: z.int() }))
    .optional()
    .meta({ description: 'How far each partition of the log has come, where it has several' }),
  lag: z.int().meta({
    description:
      'Positions of the log that are not seen yet: 0 is up to date. A position is an event in the profiles embedded and postgres, a byte of the log in cluster',
  }),
  digest: z.string().optional(),
  equal: z.boolean().optional().meta({ description: 'To the live one, at the same bookmark' }),
  comparison: modelComparison.optional().meta({
    description: 'Of vectors of another model than the live ones: how the answers of both compare',
  }),
  error: z.string().optional().meta({
    description: 'Why it failed, was not compared, or, while it is being built, cannot go on now',
  }),
  failingSince: z.iso
    .datetime()
    .optional()
    .meta({ description: 'While it is being built: since when `error` keeps it from going on' }),
});

const projectionStatus = z
  .object({
    name: z.string(),
    generations: z.array(generationStatus),
    parked: z
      .array(
        z.object({
          generation: z.int(),
          stream: z.string(),
          position: z.int(),
          type: z.string(),
          error: z.string(),
        }),
      )
      .meta({ description: 'Streams that wait with an event which a generation, live or not, cannot apply' }),
    rebuilding: z
      .object({ projection: z.string(), generation: z.int(), position: z.int(), head: z.int() })
      .optional(),
  })
  .meta({ id: 'Projection' });

function assertOperator(caller: TenantContext): void {
  if (hasRole(caller, 'operator', 'admin')) return;
  throw new Problem('forbidden', 'projections need the role operator or admin');
}

export const projectionRoutes = [
  route({
    method: 'get',
    path: '/v1/admin/projections',
    operationId: 'listProjections',
    summary: 'Every read model with its generations, how far each has come, and what is parked',
    tag,
    query: z.strictObject(waitParameters),
    responses: {
      200: {
        description: 'All projections',
        schema: z.object({ items: z.array(projectionStatus) }),
        example: projectionsExample,
      },
    },
    async handle({ caller, query }, services) {
      assertOperator(caller);
      const { store } = services.commands;
      const { minPosition = 0, waitMs } = readWait(store, query);
      await untilLogReaches(store.log, minPosition, waitMs);
      // Who watches a rebuild is not to hold it up.
      return { status: 200, body: { items: await inBackground(() => services.operations.status()) } };
    },
  }),
  route({
    method: 'post',
    path: '/v1/admin/projections/:name/rebuild',
    operationId: 'rebuildProjection',
    summary: 'Build a read model anew beside the live one, vectors also with another embedding model',
    tag,
    command: true,
    params,
    body: rebuildBody,
    bodyExample: rebuildExample,
    bodyOptional: true,
    responses: {
      202: { description: 'Started; follow it with GET', schema: accepted, example: rebuildAnswerExample },
    },
    async handle({ caller, context, params: { name }, body }, services) {
      assertOperator(caller);
      const { embedder, queries } = body;
      if (name !== 'vectors' && embedder !== undefined) throw invalid('embedder', 'is for vectors only');
      if (embedder === undefined && queries) throw invalid('queries', 'needs an embedder');
      const model = embedder === undefined ? undefined : modelOf(services.embedders, embedder);
      const { answer, replayed } = await answerOnce(services.commands, context, async () => {
        const { operations } = services;
        const operator = operatorContext(services, context);
        let generation = await operations.begun(name, operator);
        if (generation === undefined) {
          if (model) await assertAnswers(services.embedders, model);
          const options = {
            ...(model && { variant: model.id }),
            ...(queries && { queries: queries.map((query) => ({ tenant: caller.tenant, query })) }),
          };
          ({ generation } = await operations.rebuild(name, operator, options));
        }
        return { projection: name, generation, position: await headOf(services) };
      });
      return { status: 202, body: answer, headers: { location: '/v1/admin/projections' }, replayed };
    },
  }),
  ...(['switch', 'rollback'] as const).map((act) =>
    route({
      method: 'post',
      path: `/v1/admin/projections/:name/${act}`,
      operationId: `${act}Projection`,
      summary:
        act === 'switch'
          ? 'Let queries read the rebuilt generation'
          : 'End a rebuild that is under way, or let queries read the former generation again',
      tag,
      command: true,
      params,
      ...emptyBody,
      responses: { 202: { description: 'Done', schema: switched, example: switchedExample } },
      async handle({ caller, context, params: { name } }, services) {
        assertOperator(caller);
        const { operations, commands } = services;
        const { answer, replayed } = await carryOutOnce(
          commands,
          context,
          () => operations.plan(act, name),
          async (plan) => {
            const done = await operations[act](name, operatorContext(services, context), plan);
            const position = positionToken(commands.store.log.logId, done.position);
            return { projection: name, ...done, position };
          },
        );
        return { status: 202, body: answer, replayed };
      },
    }),
  ),
  route({
    method: 'post',
    path: '/v1/admin/projections/:name/retry',
    operationId: 'retryParkedStream',
    summary: 'Give a parked stream to its read model again',
    tag,
    command: true,
    params,
    body: parkedStream,
    bodyExample: parkedExample,
    responses: {
      202: {
        description: 'It was taken',
        schema: z.object({ projection: z.string(), stream: z.string(), position: z.string() }),
        example: retriedExample,
      },
    },
    async handle({ caller, context, params: { name }, body: { stream } }, services) {
      assertOperator(caller);
      const { operations, commands } = services;
      const { answer, replayed } = await carryOutOnce(
        commands,
        context,
        () => operations.parkedAt(name, stream),
        async () => {
          await operations.retry(name, stream, operatorContext(services, context));
          return { projection: name, stream, position: await headOf(services) };
        },
      );
      return { status: 202, body: answer, replayed };
    },
  }),
  route({
    method: 'post',
    path: '/v1/admin/projections/:name/skip',
    operationId: 'skipParkedEvent',
    summary: 'Leave out the event that a parked stream waits with',
    tag,
    command: true,
    params,
    body: parkedStream,
    bodyExample: parkedExample,
    responses: {
      202: {
        description: 'It was left out, and the rest of the stream is in the read model',
        schema: z.object({
          projection: z.string(),
          stream: z.string(),
          revision: z.int(),
          type: z.string(),
          position: z.string(),
        }),
        example: skippedExample,
      },
    },
    async handle({ caller, context, params: { name }, body: { stream } }, services) {
      assertOperator(caller);
      const { operations, commands } = services;
      const { answer, replayed } = await carryOutOnce(
        commands,
        context,
        () => operations.parkedAt(name, stream),
        async (plan) => {
          await operations.skip(name, stream, operatorContext(services, context), plan);
          return { projection: name, stream, ...plan, position: await headOf(services) };
        },
        // It may be refused for what waits behind the event that it left out.
        { staysDecided: true },
      );
      return { status: 202, body: answer, replayed };
    },
  }),
];

/** The position of a command that is done beside the log, or whose event is in it by now. */
async function headOf({ commands: { store } }: Services): Promise<string> {
  return positionToken(store.log.logId, await store.log.head());
}

function modelOf(embedders: Embedders, named: string): RegisteredModel {
  const model = embedders.find(named);
  if (model) return model;
  const known = embedders.models.map(({ name }) => name).join(', ');
  throw invalid('embedder', `is not registered: ${known} are`);
}

/** Before anything is built: what cannot embed is refused at once. */
async function assertAnswers(embedders: Embedders, { id, name }: RegisteredModel): Promise<void> {
  try {
    await embedders.probe(id);
  } catch (error) {
    const reason = `${name} cannot embed: ${error instanceof Error ? error.message : String(error)}`;
    if (error instanceof EmbedderUnavailable && !(error instanceof WrongDimension))
      throw new Problem('unavailable', reason, { retryAfter: 5, cause: error });
    throw invalid('embedder', reason);
  }
}

/** The operator's reason is sealed under his own key. */
function operatorContext({ commands }: Services, context: CommandContext): EventContext {
  return eventContext(context, callerKey(commands.vault, context.caller));
}
