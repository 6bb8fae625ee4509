import { z } from 'zod';
import type { ConversationEvent, RecordedConversation } from '../../domain/conversations/events.ts';
import { conversationIdFrom, maxTurns, turnIdOf } from '../../domain/conversations/turn-ids.ts';
import type { Placement } from '../../domain/access/visibility.ts';
import { identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import {
  contentSchema,
  expiresAtSchema,
  metadataSchema,
  spacesSchema,
  timestamp,
} from '../../domain/memory/content.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { MemoryValue } from '../../domain/memory/memory.ts';
import { assertFits } from '../../domain/memory/size.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { conversationStream, memoryStream } from '../../domain/streams.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import { takeClaim } from '../claims.ts';
import { CommandRecord } from '../command-record.ts';
import { readRoutingSettings } from '../configure-routing.ts';
import {
  unsealedContext,
  type CommandContext,
  type CommandResult,
  type CommandServices,
} from '../context.ts';
import { firstAnswer, storeUnclaimed } from '../create-memory.ts';
import { checkEntry } from '../entry/check-entry.ts';
import { writablePlacement } from '../placement.ts';
import { newMemoryKey, place, storeMemoryInput, type StoreMemoryInput } from '../store-memory.ts';

const messageSchema = z.strictObject({
  role: identifier.meta({ description: 'Who says it, such as `user` or `assistant`' }),
  name: identifier.optional().meta({ description: 'The name of the one who says it' }),
  content: contentSchema,
  at: timestamp.optional().meta({ description: 'When it was said' }),
});

export const recordConversationInput = z
  .strictObject({
    messages: z.array(messageSchema).min(1).max(maxTurns).meta({ description: 'The turns, in their order' }),
    sessionId: identifier.optional().meta({
      description:
        'The session of the turns: the same as `scope.session`. By default each call is one of its own',
    }),
    scope: scopeSchema.extend({ company: identifier.optional() }).default({}),
    spaces: spacesSchema.default([]),
    metadata: metadataSchema
      .default({})
      .meta({ description: 'Of each turn, beside `role` and `name`, and of each fact' }),
    expiresAt: expiresAtSchema.optional(),
    trust: storeMemoryInput.shape.trust,
    extract: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether a language model, where one is configured, draws facts from the turns' }),
    layer: layerSchema.default('user').meta({ description: 'The layer of the facts' }),
  })
  .meta({ id: 'RecordConversation' });

export type RecordConversationInput = z.output<typeof recordConversationInput>;

export interface RecordConversationResult extends CommandResult {
  readonly conversation: RecordedConversation;
}

type Turn = Omit<MemoryValue, 'id'>;

/**
 * Stores each message verbatim as a memory of the session layer, in their order, then records the conversation. Facts are drawn from it
 * later. All turns are checked before the first is stored. A repetition under the same idempotency key, also after a process
 * was killed in between, stores what is missing under the same ids.
 */
export async function recordConversation(
  services: CommandServices,
  context: CommandContext,
  input: RecordConversationInput,
  { hasModel }: { readonly hasModel: boolean },
): Promise<RecordConversationResult> {
  const record = CommandRecord.of(services, context);
  const fresh = conversationIdFrom(services.newId());
  placedTurns(context, input, fresh);
  if (input.extract) factPlacement(context, input, fresh);
  const id = record ? await takeClaim(services, context, record.stream, fresh) : fresh;
  const replay = record && id !== fresh ? await recordedBefore(services, context, id, record) : undefined;
  if (replay) return replay;
  const turns = await checkedTurns(services, context, input, placedTurns(context, input, id));
  const isPending =
    hasModel && (await readRoutingSettings(services.store, context.caller.tenant)).languageModel;
  const turnIds: string[] = [];
  for (const [index, turn] of turns.entries()) {
    const turnId = turnIdOf(id, index + 1);
    await storeTurn(services, context, turn, turnId, record);
    turnIds.push(turnId);
  }
  const conversation: RecordedConversation = {
    conversationId: id,
    turnIds,
    ...(input.extract && {
      extract: { ...factPlacement(context, input, id), roles: [...context.caller.roles], pending: isPending },
    }),
  };
  const event: ConversationEvent = { type: 'ConversationRecorded', data: conversation };
  try {
    const stream = conversationStream(context.caller.tenant, id);
    const { position } = await services.store.append(stream, 'noStream', [event], unsealedContext(context));
    return { conversation, position, replayed: false };
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision) || !record) throw error;
  }
  // A concurrent run of the command was faster.
  const first = await recordedBefore(services, context, id, record);
  if (!first) throw new Problem('unavailable', 'the conversation is being recorded', { retryAfter: 1 });
  return first;
}

/** Where the facts belong: beyond the session, unless its layer is asked for. Throws if the caller may not write there. */
function factPlacement(
  { caller }: CommandContext,
  { layer, scope, sessionId }: RecordConversationInput,
  conversationId: string,
): Placement {
  const { session: named, ...others } = scope;
  const session = sessionId ?? named ?? conversationId;
  return writablePlacement(
    caller,
    { layer, scope: layer === 'session' ? { ...others, session } : others },
    'facts',
  );
}

/** The turns as memories. Throws if one may not be stored, or facts may not, naming the field that was sent. */
function placedTurns(
  { caller }: CommandContext,
  input: RecordConversationInput,
  conversationId: string,
): Turn[] {
  const { messages, sessionId, scope, spaces, expiresAt, metadata } = input;
  if (sessionId !== undefined && scope.session !== undefined && scope.session !== sessionId)
    throw invalid('sessionId', 'must be the same as scope.session, or one of both be left out');
  const session = sessionId ?? scope.session ?? conversationId;
  return messages.map(({ role, name, content, at }, index): Turn => {
    const turn: StoreMemoryInput = {
      content,
      layer: 'session',
      scope: { ...scope, session },
      spaces,
      metadata: { ...metadata, role, ...(name !== undefined && { name }) },
      tags: [],
      representations: {},
      duplicates: 'keep',
      ...(at !== undefined && { occurredAt: at }),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    return ofMessage(index, () => {
      const value = place(caller, turn);
      assertFits(value, ['content', 'metadata', 'spaces']);
      return value;
    });
  });
}

async function checkedTurns(
  services: CommandServices,
  context: CommandContext,
  { trust }: RecordConversationInput,
  turns: readonly Turn[],
): Promise<Turn[]> {
  const checked: Turn[] = [];
  for (const [index, turn] of turns.entries()) {
    const changes = await checkEntry(services, context, turn, { source: trust?.source }).catch(
      (error: unknown) =>
        ofMessage(index, () => {
          throw error;
        }),
    );
    checked.push({ ...turn, ...changes });
  }
  return checked;
}

async function storeTurn(
  services: CommandServices,
  context: CommandContext,
  value: Turn,
  id: string,
  record: CommandRecord | undefined,
): Promise<void> {
  const key = newMemoryKey(services, context, { subject: undefined }, value);
  if (await storeUnclaimed(services, context, { value, key, inTurn: (append) => append() }, id)) return;
  // An earlier run of the command stored it, with the same body.
  const loaded = await services.store.load<MemoryEvent>(memoryStream(context.caller.tenant, id));
  if (record && firstAnswer(record, loaded)) return;
  throw new Problem('unavailable', 'the conversation is being recorded', { retryAfter: 1 });
}

/** The first answer of a repeated command. Undefined if an earlier run did not get that far. */
async function recordedBefore(
  { store }: CommandServices,
  { caller: { tenant } }: CommandContext,
  id: string,
  record: CommandRecord,
): Promise<RecordConversationResult | undefined> {
  const first = (await store.load<ConversationEvent>(conversationStream(tenant, id))).slice(0, 1);
  const [recorded] = first;
  if (record.lastEventIn(first) < 0 || recorded?.event.type !== 'ConversationRecorded') return undefined;
  return { conversation: recorded.event.data, position: recorded.position, replayed: true };
}

/** Runs `act`, and names the fields of a message in its problems. */
function ofMessage<Result>(index: number, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, retryAfter, extra } = error;
    const errors = error.errors.map(({ path, message: each }) => ({
      path: path === 'content' ? `messages.${index}.content` : path,
      message: each,
    }));
    throw new Problem(code, message, {
      errors,
      extra,
      cause: error,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}
