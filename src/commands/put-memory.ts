import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { isVisible, visible } from '../domain/access/visibility.ts';
import type { externalIdSchema } from '../domain/layers.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import type { MemoryValue } from '../domain/memory/memory.ts';
import { assertFits } from '../domain/memory/size.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { Problem } from '../domain/problems.ts';
import { memoryStream } from '../domain/streams.ts';
import { mayHandle } from '../domain/trust/access.ts';
import { WrongExpectedRevision, type StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import {
  assertMatches,
  assertNotDeleted,
  changeMemory,
  type MatchCondition,
  type MemoryResult,
} from './change-memory.ts';
import { claimHolder, releaseClaim, takeClaim } from './claims.ts';
import { CommandRecord } from './command-record.ts';
import type { CommandContext, CommandServices } from './context.ts';
import { checkEntry } from './entry/check-entry.ts';
import { create, firstAnswer, type InTurn } from './create-memory.ts';
import { externalIdClaims, heldBeside, type ExternalIdClaims } from './external-id-claims.ts';
import { assertSubject, externalIdTaken, newMemoryKey, place, storeMemoryInput } from './store-memory.ts';

export const putMemoryInput = storeMemoryInput.omit({ externalId: true }).meta({ id: 'PutMemory' });

export type PutMemoryInput = z.infer<typeof putMemoryInput> & {
  readonly externalId: z.infer<typeof externalIdSchema>;
};

export interface PutConditions {
  /** Revision that the memory must be at; `*` is any. The memory must exist. */
  readonly match?: MatchCondition;
  /** The memory must not exist. */
  readonly isNew?: boolean | undefined;
}

export interface PutResult extends MemoryResult {
  readonly isNew: boolean;
}

/** Races that a command may lose before its caller is told to retry. */
const maxAttempts = 20;

/**
 * Stores the memory with this externalId, or replaces all mutable fields of the one that has it. Of concurrent calls one stores and
 * the others replace. With an Idempotency-Key, a claim of the command's own records which memory it was about, so that a repetition
 * does not store an erased memory again.
 */
export async function putMemory(
  services: CommandServices,
  context: CommandContext,
  input: PutMemoryInput,
  conditions: PutConditions = {},
  inTurn: InTurn = (append) => append(),
): Promise<PutResult> {
  const value = place(context.caller, input);
  // Checked before anything is claimed.
  assertFits(value);
  const put = new Put(services, context, { input, value, conditions, inTurn });
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = await put.attempt();
    if (result) return result;
    await sleep(Math.random() * 5 * attempt);
  }
  throw new Problem('unavailable', 'too many writers race for this externalId', { retryAfter: 1 });
}

class Put {
  readonly #services: CommandServices;
  readonly #context: CommandContext;
  readonly #input: PutMemoryInput;
  readonly #value: Omit<MemoryValue, 'id'>;
  readonly #conditions: PutConditions;
  readonly #inTurn: InTurn;
  readonly #record: CommandRecord | undefined;
  readonly #claims: ExternalIdClaims;
  /** The claim of the externalId that this attempt is about. */
  #claim: StreamName;

  constructor(
    services: CommandServices,
    context: CommandContext,
    put: {
      readonly input: PutMemoryInput;
      readonly value: Omit<MemoryValue, 'id'>;
      readonly conditions: PutConditions;
      readonly inTurn: InTurn;
    },
  ) {
    this.#services = services;
    this.#context = context;
    this.#input = put.input;
    this.#value = put.value;
    this.#conditions = put.conditions;
    this.#inTurn = put.inTurn;
    this.#record = CommandRecord.of(services, context);
    this.#claims = externalIdClaims(services.vault, context.caller, put.value, put.input.externalId);
    this.#claim = this.#claims.own;
  }

  /** Undefined if another writer was faster, or a claim was left behind: try again. */
  async attempt(): Promise<PutResult | undefined> {
    const record = this.#record;
    const earlier = record && (await claimHolder(this.#services, record.stream));
    const holder = await this.#holder();
    const id = earlier ?? holder ?? this.#services.newId();
    const loaded = await this.#load(id);
    if (record && earlier !== undefined) {
      const replay = firstAnswer(record, loaded);
      if (replay) return { ...replay, isNew: true };
      // The command was carried out before: return its answer, whatever has happened to the memory and the externalId since.
      if (record.lastEventIn(loaded) >= 0 || (await record.read())) return this.#replace(id);
    }
    if (holder !== undefined && holder !== id) return this.#forget(id);
    if (loaded.length === 0) return this.#store(id);
    const snapshot = foldMemory(loaded);
    // The claim was left behind by a memory that was erased, or by a bulk line with the same key and another externalId.
    if (!isLive(snapshot) || snapshot.state.value.claim !== this.#claim) {
      await releaseClaim(this.#services, this.#context, this.#claim, id);
      return this.#forget(id);
    }
    this.#assertReplaceable(snapshot, loaded);
    if (!(await this.#isOwn(id))) return undefined;
    return this.#replace(id).catch((error: unknown) => {
      // The memory was erased after it was loaded.
      if (error instanceof Problem && error.code === 'not-found') return undefined;
      throw error;
    });
  }

  /** The id of the memory that has the externalId, in the caller's other name space if it is free in its own. */
  async #holder(): Promise<string | undefined> {
    const { own } = this.#claims;
    this.#claim = own;
    const holder = await claimHolder(this.#services, own);
    if (holder !== undefined) return holder;
    const beside = await heldBeside(this.#services, this.#context.caller, this.#value, this.#claims);
    if (beside) this.#claim = beside.claim;
    return beside?.id;
  }

  async #store(id: string): Promise<PutResult | undefined> {
    const { match } = this.#conditions;
    if (match !== undefined)
      throw new Problem('revision-mismatch', 'If-Match names a memory, and none has this externalId');
    if (!(await this.#isOwn(id))) return undefined;
    const holder = await takeClaim(this.#services, this.#context, this.#claim, id);
    if (holder !== id) return undefined;
    const added = await checkEntry(this.#services, this.#context, this.#value, {
      source: this.#input.trust?.source,
    });
    const value = { ...this.#value, ...added, id, claim: this.#claim };
    const key = newMemoryKey(this.#services, this.#context, this.#input, value);
    try {
      const stored = await create(this.#services, this.#context, { value, key, inTurn: this.#inTurn });
      return { ...stored, isNew: true };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return undefined;
      throw error;
    }
  }

  async #replace(id: string): Promise<PutResult> {
    const source = this.#input.trust?.source;
    const command = { type: 'replace', value: this.#value, source } as const;
    const { match } = this.#conditions;
    const changed = await changeMemory(this.#services, this.#context, id, command, match);
    return { ...changed, isNew: false };
  }

  #assertReplaceable(snapshot: LiveSnapshot, loaded: readonly LoadedEvent<MemoryEvent>[]): void {
    const { value } = snapshot.state;
    if (!isVisible(visible(this.#context.caller), value) || !mayHandle(this.#context.caller, value))
      throw externalIdTaken(this.#context.caller, snapshot);
    assertNotDeleted(snapshot);
    if (this.#conditions.isNew)
      throw new Problem('revision-mismatch', 'If-None-Match is *, and a memory has this externalId');
    assertMatches(this.#conditions.match, snapshot);
    assertSubject(this.#services, this.#context, this.#input, loaded);
  }

  /** Records that the command is about this memory. False if it was recorded for another one. */
  async #isOwn(id: string): Promise<boolean> {
    if (!this.#record) return true;
    return (await takeClaim(this.#services, this.#context, this.#record.stream, id)) === id;
  }

  /** Drops the record of an earlier run of the command, which named a memory that was not written. */
  async #forget(id: string): Promise<undefined> {
    if (this.#record) await releaseClaim(this.#services, this.#context, this.#record.stream, id);
  }

  #load(id: string): Promise<readonly LoadedEvent<MemoryEvent>[]> {
    return this.#services.store.load<MemoryEvent>(memoryStream(this.#context.caller.tenant, id));
  }
}
