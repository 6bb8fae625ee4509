import { z } from 'zod';
import { actorOf } from '../../domain/access/context.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import { isVisible, visible, type Placement } from '../../domain/access/visibility.ts';
import type { RecordedTrace, TraceEvent } from '../../domain/experience/events.ts';
import { attemptFields } from '../../domain/experience/trace.ts';
import { traceLayer } from '../../domain/experience/trace-layer.ts';
import { traceView, type TraceView } from '../../domain/experience/trace-view.ts';
import { identifier, scopeSchema } from '../../domain/layers.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { foldMemory, isLive } from '../../domain/memory/snapshot.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { isMemoryId, memoryStream, traceStream } from '../../domain/streams.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { releaseClaim, takeClaim } from '../claims.ts';
import { CommandRecord } from '../command-record.ts';
import { eventContext, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import { takesTraces } from '../spaces/reasoning-spaces.ts';
import { writablePlacement } from '../placement.ts';

export const recordTraceInput = z
  .strictObject({
    ...attemptFields,
    scope: scopeSchema.extend({ company: identifier.optional() }).default({}).meta({
      description:
        "Who may see the trace: those who see memories of the most specific identifier. Default: the caller's user",
    }),
    space: identifier.optional(),
    sessionId: identifier.optional(),
  })
  .meta({ id: 'RecordTrace' });

export type RecordTraceInput = z.infer<typeof recordTraceInput>;

/** The earlier trace that is most similar. */
export type SimilarTrace = NonNullable<RecordedTrace['similarTo']>;

export interface TraceResult extends CommandResult {
  readonly trace: TraceView;
}

/** Where a trace belongs. Throws if the caller may not write there. */
export function placeTrace(
  { caller }: CommandContext,
  { scope }: Pick<RecordTraceInput, 'scope'>,
): Placement {
  return writablePlacement(caller, { layer: traceLayer(caller, scope), scope }, 'traces');
}

/**
 * Records an attempt, with a data key of its own. Throws `validation-failed` if it names a memory that the caller cannot see.
 * A memory that is erased at the same time is found by the reactor of traces.
 */
export async function recordTrace(
  services: CommandServices,
  context: CommandContext,
  input: RecordTraceInput,
  similarTo?: SimilarTrace,
): Promise<TraceResult> {
  const { query, approach, strategy, failureReason, successFactors, sessionId } = input;
  const { outcome, executionTimeMs, model, space, memoriesUsed, memoriesHelpful } = input;
  const placement = placeTrace(context, input);
  const used = [...new Set(memoriesUsed)];
  assertHelpfulWereUsed(used, memoriesHelpful);
  await assertVisibleMemories(services, context, memoriesUsed);
  if (space !== undefined && !(await takesTraces(services, context.caller.tenant, space)))
    throw invalid(
      'space',
      `names ${space}, which takes no reasoning traces (\`enableReasoningMemory\` is false)`,
    );
  return createTrace(services, context, {
    ...placement,
    outcome,
    origin: 'caller',
    memoryIds: used,
    query,
    approach,
    ...(memoriesHelpful && { helpfulIds: [...new Set(memoriesHelpful)] }),
    ...(executionTimeMs !== undefined && { executionTimeMs }),
    ...(model !== undefined && { model }),
    ...(space !== undefined && { space }),
    ...(similarTo && { similarTo }),
    ...(strategy && { strategy }),
    ...(failureReason !== undefined && { failureReason }),
    ...(successFactors && { successFactors }),
    ...(sessionId !== undefined && { sessionId }),
  });
}

/** Appends the first event of a trace. With an Idempotency-Key, its id is claimed first, so that a repetition finds it. */
async function createTrace(
  services: CommandServices,
  context: CommandContext,
  recorded: Omit<RecordedTrace, 'traceId'>,
): Promise<TraceResult> {
  const { store, vault, newId } = services;
  const { caller } = context;
  const { tenant } = caller;
  const record = CommandRecord.of(services, context);
  for (;;) {
    const fresh = newId();
    const id = record ? await takeClaim(services, context, record.stream, fresh) : fresh;
    const stream = traceStream(tenant, id);
    const key = {
      tenant,
      id: `trace.${newId()}`,
      subject: vault.pseudonym('subject', tenant, recorded.scope.user ?? tenant),
    };
    const event: TraceEvent = { type: 'ReasoningTraceRecorded', data: { traceId: id, ...recorded } };
    try {
      const { position, time } = await store.append(stream, 'noStream', [event], {
        ...eventContext(context, key),
        keyIsNew: true,
      });
      const made = { createdBy: actorOf(caller), createdAt: time.toISOString() };
      return { trace: traceView(event.data, made), position, replayed: false };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision) || !record) throw error;
    }
    const loaded = await store.load<TraceEvent>(stream);
    if (record.lastEventIn(loaded.slice(0, 1)) >= 0) return replayOf(loaded);
    await releaseClaim(services, context, record.stream, id);
  }
}

function replayOf([first, ...later]: readonly LoadedEvent<TraceEvent>[]): TraceResult {
  const isErased = later.some(({ event }) => event.type === 'ReasoningTraceErased');
  if (first?.event.type !== 'ReasoningTraceRecorded' || first.erased || isErased)
    throw new Problem('not-found', 'the trace that this Idempotency-Key recorded is erased');
  const made = { createdBy: first.metadata.actor, createdAt: first.time.toISOString() };
  return { trace: traceView(first.event.data, made), position: first.position, replayed: true };
}

function assertHelpfulWereUsed(used: readonly string[], helpful: readonly string[] = []): void {
  refuseAt('memoriesHelpful', helpful, (id) => used.includes(id), 'must be among memoriesUsed');
}

/** Memories that may be loaded at once. */
const loadsAtOnce = 8;

/** Unknown, erased, withheld and invisible memories are refused alike. */
async function assertVisibleMemories(
  { store }: CommandServices,
  { caller }: CommandContext,
  ids: readonly string[],
): Promise<void> {
  const visibility = visible(caller);
  const known = new Set<string>();
  const distinct = [...new Set(ids)].filter(isMemoryId);
  for (let from = 0; from < distinct.length; from += loadsAtOnce)
    await Promise.all(
      distinct.slice(from, from + loadsAtOnce).map(async (id) => {
        const snapshot = foldMemory(await store.load<MemoryEvent>(memoryStream(caller.tenant, id)));
        if (!isLive(snapshot)) return;
        const { value } = snapshot.state;
        if (isVisible(visibility, value) && !isWithheld(value)) known.add(id);
      }),
    );
  refuseAt('memoriesUsed', ids, (id) => known.has(id), 'is no memory that this caller can see');
}

function refuseAt(
  field: string,
  ids: readonly string[],
  isAllowed: (id: string) => boolean,
  message: string,
): void {
  const errors = ids.flatMap((id, index) => (isAllowed(id) ? [] : [{ path: `${field}.${index}`, message }]));
  if (errors.length === 0) return;
  throw new Problem('validation-failed', `${errors[0]!.path} ${message}`, { errors });
}
