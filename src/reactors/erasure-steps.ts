import {
  causedBy,
  eventContext,
  inTenant,
  type CommandContext,
  type CommandServices,
} from '../commands/context.ts';
import { eraseMemoryStreams, eraseStreams } from '../commands/erasure/erase-streams.ts';
import { findSubjectStreams, type SubjectStreams } from '../commands/erasure/subject-streams.ts';
import { destroyTargetKeys } from '../commands/erasure/target-keys.ts';
import {
  foldErasure,
  keysName,
  sumCounts,
  type ErasureState,
  type SurfaceCount,
} from '../domain/erasure/erasure.ts';
import type { DocumentEvent } from '../domain/documents/events.ts';
import { documentStream } from '../domain/streams.ts';
import type { ClearedSurface, ErasureEvent } from '../domain/erasure/events.ts';
import { signReceipt, type OutOfReach } from '../domain/erasure/receipt.ts';
import { storedHash } from '../domain/tlog/leaf.ts';
import type { Signer } from '../domain/tlog/note.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { MemoryRef, Remains } from '../ports/surface.ts';
import { pause } from '../support/pause.ts';

export type RequestedErasure = LoadedEvent<Extract<ErasureEvent, { type: 'ErasureRequested' }>>;

/** The places that hold content, see `Surface`. */
interface Held {
  count(memories: readonly MemoryRef[]): Promise<readonly SurfaceCount[]>;
  forget(erased: readonly MemoryRef[], position: number): Promise<void>;
}

export interface ErasureStepsParts {
  readonly services: CommandServices;
  readonly surfaces: Held;
  readonly remains: readonly Remains[];
  /** Resolves when the reactors have followed all erasures in the log up to now. Rejects if one of them cannot. */
  readonly followed: (signal: AbortSignal) => Promise<void>;
  /** How long a key may stay in the memory of other processes after it was destroyed. */
  readonly keysKeptMs: number;
  readonly origin: string;
  readonly signers: readonly Signer[];
  readonly outOfReach: readonly OutOfReach[];
  /** Names of copies that have only ciphertext, such as topics. */
  readonly encrypted: readonly string[];
}

/** Memories that are counted, or looked for, in one statement for each read model. */
const memoriesAtOnce = 1_000;

/** What the destroyed keys sealed is counted under this name. */
const sealedName = 'sealed events of the log';
const own = {
  traceIds: 'attempts of the subject',
  lessonIds: 'lessons of the subject',
  documentIds: 'documents of the subject',
  summaries: 'summaries of the subject',
  questions: 'judged questions of the subject',
} as const;

const notes: Readonly<Record<string, string>> = {
  summaries: 'removed; made anew from what is left when they are due',
  lessons: 'drawn again from the attempts that are left, or forgotten',
  [own.lessonIds]: 'forgotten',
  [own.summaries]: 'removed; made anew from what is left when they are due',
};

/** The steps of an erasure. Each can be repeated, so that a process that was killed continues. */
export class ErasureSteps {
  readonly #parts: ErasureStepsParts;
  readonly #context: CommandContext;

  constructor(parts: ErasureStepsParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  /** Everything but the files. */
  async clear(requested: RequestedErasure, signal: AbortSignal): Promise<void> {
    const { services, followed, keysKeptMs } = this.#parts;
    const { target } = requested.event.data;
    const tenant = target.kind === 'tenant' ? target.tenant : requested.metadata.tenant;
    const context = inTenant(causedBy(this.#context, requested), tenant);
    let state = await this.#state(requested);
    if (state.surfaces.some(({ state: each }) => each !== 'pending')) return;
    if (target.kind === 'memory') {
      const memories = [{ tenant, memoryId: target.memoryId }];
      await followed(signal);
      state = await this.#counted(requested, state, () => this.#countMemories(memories));
      await this.#forget(memories);
    } else if (target.kind === 'document') {
      const memoryIds = await this.#memoriesOfDocument(tenant, target.documentId);
      const memories = memoryIds.map((memoryId) => ({ tenant, memoryId }));
      // After that no memory of the document is written any more.
      await followed(signal);
      state = await this.#counted(requested, state, () => this.#countMemories(memories));
      await eraseMemoryStreams(services, context, memoryIds, signal);
      await followed(signal);
      await this.#forget(memories);
    } else {
      await destroyTargetKeys(services.vault, tenant, requested.event.data);
      // Until then another process may seal something with a key that it has in memory.
      await pause(requested.time.getTime() + keysKeptMs - Date.now(), signal);
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const found = await findSubjectStreams(services, tenant, target, signal);
        const memories = found.memories.map(({ erasure }) => ({ tenant, memoryId: erasure.data.memoryId }));
        state = await this.#counted(requested, state, () => this.#countSubject(requested, found, memories));
        if (isEmpty(found) && !isFirst) break;
        await eraseStreams(services, context, found, signal);
        await followed(signal);
        await this.#forget(memories);
      }
    }
    if (signal.aborted) return;
    const at = services.clock.now().toISOString();
    const surfaces = state.surfaces.map((surface) => cleared(surface, at));
    await this.#record(requested, {
      type: 'ErasureAdvanced',
      data: { erasureId: state.erasureId, surfaces },
    });
  }

  async #memoriesOfDocument(tenant: string, documentId: string): Promise<readonly string[]> {
    const loaded = await this.#parts.services.store.loadLast<DocumentEvent>(
      documentStream(tenant, documentId),
      1_000,
    );
    const erased = loaded.find(({ event }) => event.type === 'DocumentErased')?.event;
    return erased?.type === 'DocumentErased' ? erased.data.memoryIds : [];
  }

  /** The state after the surfaces were counted, once. */
  async #counted(
    requested: RequestedErasure,
    state: ErasureState,
    count: () => Promise<readonly SurfaceCount[]>,
  ): Promise<ErasureState> {
    if (state.counts) return state;
    const { erasureId } = state;
    const counts = [...(await count())];
    await this.#record(requested, { type: 'ErasureCounted', data: { erasureId, counts } });
    return this.#state(requested);
  }

  async #countMemories(memories: readonly MemoryRef[]): Promise<readonly SurfaceCount[]> {
    let total: SurfaceCount[] = sumCounts(await this.#parts.surfaces.count([]));
    for (let from = 0; from < memories.length; from += memoriesAtOnce)
      total = sumCounts(total, await this.#parts.surfaces.count(memories.slice(from, from + memoriesAtOnce)));
    return total;
  }

  async #countSubject(
    { event, metadata }: RequestedErasure,
    found: SubjectStreams,
    memories: readonly MemoryRef[],
  ): Promise<readonly SurfaceCount[]> {
    const { target } = event.data;
    const { vault } = this.#parts.services;
    const keys =
      target.kind === 'subject'
        ? await vault.countKeys(metadata.tenant, target.subject, target.generation)
        : target.kind === 'tenant'
          ? target.keys
          : 1;
    return [
      { name: keysName, count: keys },
      { name: sealedName, count: keys === 0 ? 0 : found.sealed },
      ...(await this.#countMemories(memories)),
      ...Object.entries(own).map(([field, name]) => ({
        name,
        count: found[field as keyof typeof own].length,
      })),
    ];
  }

  /** Waits until no surface has anything of the memories left, and makes sure of it. */
  async #forget(memories: readonly MemoryRef[]): Promise<void> {
    const { surfaces, services } = this.#parts;
    const head = await services.store.log.head();
    for (let from = 0; from < Math.max(1, memories.length); from += memoriesAtOnce) {
      const some = memories.slice(from, from + memoriesAtOnce);
      await surfaces.forget(some, head);
      const left = (await surfaces.count(some)).filter(({ count }) => count > 0);
      if (left.length > 0)
        throw new Error(
          `still held after the erasure: ${left.map(({ name, count }) => `${name} (${count})`).join(', ')}`,
        );
    }
  }

  async complete(requested: RequestedErasure): Promise<void> {
    const { services, origin, signers, remains, outOfReach, encrypted } = this.#parts;
    const state = await this.#state(requested);
    if (state.receipt !== undefined) return;
    const { erasureId, target } = state;
    const { tenant } = requested.metadata;
    const completedAt = services.clock.now().toISOString();
    const sealed = state.surfaces.find(({ name }) => name === sealedName)?.count ?? 1;
    const surfaces: ClearedSurface[] = [
      ...state.surfaces,
      ...encrypted.map((name) => ({ name, count: sealed, state: 'unreadable' as const, at: completedAt })),
      ...remains.map(({ name }) => ({
        name,
        count: 1,
        state: 'cleared' as const,
        at: completedAt,
        note: 'rewritten',
      })),
    ];
    const [recorded] = await services.store.log.readStream(requested.stream, { limit: 1 });
    const receipt = signReceipt(
      {
        erasureId,
        log: origin,
        tenant,
        target,
        event: { id: requested.id, position: requested.position, hash: storedHash(recorded!) },
        requestedAt: requested.time.toISOString(),
        completedAt,
        surfaces,
        outOfReach: [...outOfReach],
      },
      signers,
    );
    await this.#record(requested, {
      type: 'ErasureCompleted',
      data: { erasureId, surfaces, receipt },
    });
  }

  async #record(requested: RequestedErasure, event: ErasureEvent): Promise<void> {
    const context = eventContext(causedBy(this.#context, requested));
    await this.#parts.services.store.append(requested.stream, 'exists', [event], context);
  }

  async #state({ stream }: RequestedErasure): Promise<ErasureState> {
    const loaded = await this.#parts.services.store.load<ErasureEvent>(stream);
    return foldErasure(loaded.map(({ event }) => event))!;
  }
}

/** Whether nothing is left to erase. The streams of summaries stay, and are invalidated once. */
function isEmpty({ memories, traceIds, lessonIds, documentIds, questions }: SubjectStreams): boolean {
  return [memories, traceIds, lessonIds, documentIds, questions].every(({ length }) => length === 0);
}

function cleared({ name, count }: ClearedSurface, at: string): ClearedSurface {
  const state = name === sealedName ? 'unreadable' : 'cleared';
  const note = notes[name];
  return { name, count, state, at, ...(note !== undefined && { note }) };
}
