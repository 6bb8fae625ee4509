import type { Affirmations } from '../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { decide, initialState, type MemoryValue } from '../domain/memory/memory.ts';
import { foldMemory, isLive } from '../domain/memory/snapshot.ts';
import { memoryStream } from '../domain/streams.ts';
import { WrongExpectedRevision, type AppendResult } from '../ports/event-log.ts';
import type { Claim, LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef } from '../ports/key-vault.ts';
import { unknownMemory, withinQuotas, type MemoryResult } from './change-memory.ts';
import type { CommandRecord } from './command-record.ts';
import { eventContext, type CommandContext, type CommandServices } from './context.ts';

/** Delays the append until earlier lines of a bulk request are appended; ids are claimed without that delay. */
export type InTurn = (append: () => Promise<AppendResult>) => Promise<AppendResult>;

/** What became of a store. */
export interface StoreResult extends MemoryResult {
  /** Present if a memory said the same already: how often it was told again. */
  readonly affirmed?: Affirmations;
}

/** A memory to store, checked and completed. */
export interface Draft {
  readonly value: Omit<MemoryValue, 'id'>;
  readonly key: KeyRef;
  readonly inTurn: InTurn;
}

/** Stores the value as the first event of its memory. Throws `WrongExpectedRevision` if its id or its claim is taken. */
export async function create(
  services: CommandServices,
  context: CommandContext,
  {
    value,
    key,
    inTurn,
    claim,
  }: Omit<Draft, 'value'> & { readonly value: MemoryValue; readonly claim?: Claim },
): Promise<MemoryResult> {
  const events = decide({ type: 'store', value }, initialState);
  const stream = memoryStream(context.caller.tenant, value.id);
  const append = () =>
    services.store.append(
      stream,
      'noStream',
      events,
      { ...eventContext(context, key), keyIsNew: true },
      claim,
    );
  const { position, time } = await withinQuotas(services, context, [], events, () => inTurn(append));
  const facts = events.map((event, revision) => ({ event, revision, position, time, erased: false }));
  const snapshot = foldMemory(facts);
  if (!isLive(snapshot)) throw unknownMemory();
  return { snapshot, position, replayed: false };
}

/** Stores a memory that may be like any other. Undefined if a run of the same command has stored it. */
export async function storeUnclaimed(
  services: CommandServices,
  context: CommandContext,
  { value, key, inTurn }: Draft,
  id: string,
): Promise<StoreResult | undefined> {
  try {
    return await create(services, context, { value: { ...value, id }, key, inTurn });
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return undefined;
    throw error;
  }
}

/** The first answer of a repeated command, if it was this command that stored the memory. */
export function firstAnswer(
  record: CommandRecord,
  loaded: readonly LoadedEvent<MemoryEvent>[],
): MemoryResult | undefined {
  const first = loaded.slice(0, 1);
  if (record.lastEventIn(first) < 0) return undefined;
  const snapshot = foldMemory(first);
  if (!isLive(snapshot)) throw unknownMemory();
  return { snapshot, position: first[0]!.position, replayed: true };
}
