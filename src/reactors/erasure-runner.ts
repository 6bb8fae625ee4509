import {
  causedBy,
  eventContext,
  inTenant,
  type CommandContext,
  type CommandServices,
} from '../commands/context.ts';
import { eraseStreams } from '../commands/erasure/erase-streams.ts';
import { findSubjectStreams, type SubjectStreams } from '../commands/erasure/subject-streams.ts';
import { foldErasure, sumCounts, type ErasureState, type SurfaceCount } from '../domain/erasure/erasure.ts';
import type { ClearedSurface, ErasureEvent, FilesWhen } from '../domain/erasure/events.ts';
import { signReceipt, type OutOfReach } from '../domain/erasure/receipt.ts';
import { storedHash } from '../domain/tlog/leaf.ts';
import type { Signer } from '../domain/tlog/note.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { MemoryRef, Remains } from '../ports/surface.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import { WakeUp } from '../support/wake-up.ts';

/** The places that hold content, see `Surface`. */
interface Held {
  count(memories: readonly MemoryRef[]): Promise<readonly SurfaceCount[]>;
  forget(erased: readonly MemoryRef[], position: number): Promise<void>;
}

export interface ErasureRunnerParts {
  readonly services: CommandServices;
  readonly surfaces: Held;
  readonly remains: readonly Remains[];
  /** Resolves when the reactors have followed all erasures in the log up to now. Rejects if one of them cannot. */
  readonly followed: (signal: AbortSignal) => Promise<void>;
  /** How long a key may stay in the memory of other processes after it was destroyed. */
  readonly keysKeptMs: number;
  /** How long files may keep the bytes of what was erased, unless the request says that it hurries. */
  readonly filesWithinMs: number;
  readonly origin: string;
  readonly signers: readonly Signer[];
  readonly outOfReach: readonly OutOfReach[];
  /** Names of copies that have only ciphertext, such as topics. */
  readonly encrypted: readonly string[];
}

/** An erasure that is not complete. */
interface Open {
  readonly requested: LoadedEvent<Extract<ErasureEvent, { type: 'ErasureRequested' }>>;
  /** Everything but the files is done. */
  advanced: boolean;
  failures: number;
  notBefore: number;
}

const types = ['ErasureRequested', 'ErasureCompleted'] as const;
/** Memories that are counted, or looked for, in one statement for each read model. */
const memoriesAtOnce = 1_000;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
/** Rewriting starts this share of the time before it must be done. */
const filesStartAt = 0.75;

/** The keys are counted under this name, and what they sealed under the other. */
const keysName = 'keys';
const sealedName = 'sealed events of the log';
const own = {
  traceIds: 'attempts of the subject',
  lessonIds: 'lessons of the subject',
  summaries: 'summaries of the subject',
  questions: 'judged questions of the subject',
} as const;

const notes: Readonly<Record<string, string>> = {
  summaries: 'removed; made anew from what is left when they are due',
  lessons: 'drawn again from the attempts that are left, or forgotten',
  [own.lessonIds]: 'forgotten',
  [own.summaries]: 'removed; made anew from what is left when they are due',
};

/**
 * Carries out erasures, from their event to the signed receipt: counts what each surface holds, erases every stream, waits until all
 * surfaces have forgotten, looks again, and has the files rewritten. Each step can be repeated, so a process that is killed continues at
 * the next start. One process at a time does it.
 */
export class ErasureRunner implements EventProcessor {
  readonly name = 'erasure-receipts';
  readonly sharing = 'lease';
  readonly #parts: ErasureRunnerParts;
  readonly #context: CommandContext;

  constructor(parts: ErasureRunnerParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const open = new Map<string, Open>();
    const changed = new WakeUp();
    const following = this.#follow(term, open, changed).catch((error: unknown) => term.fail(error));
    await inBackground(async () => {
      while (!term.signal.aborted) {
        const seen = changed.count;
        const now = Date.now();
        for (const erasure of open.values()) await this.#advance(term, erasure, now);
        await this.#rewriteFiles(term, open, Date.now());
        await changed.after(seen, this.#nextMs(open, Date.now()), term.signal);
      }
    });
    await following;
  }

  /** Keeps `open` as the log says. */
  async #follow(term: Term, open: Map<string, Open>, changed: WakeUp): Promise<void> {
    const { store } = this.#parts.services;
    term.began(0);
    const pages = store.subscribe({ after: 0, filter: { types }, routingOnly: true, signal: term.signal });
    for await (const page of pages) {
      for (const loaded of page.events as readonly LoadedEvent<ErasureEvent>[]) {
        if (loaded.event.type === 'ErasureCompleted') open.delete(loaded.stream);
        else if (loaded.event.type === 'ErasureRequested')
          open.set(loaded.stream, {
            requested: loaded as Open['requested'],
            advanced: false,
            failures: 0,
            notBefore: 0,
          });
      }
      if (page.events.length > 0) changed.wake();
      term.reached(page.scannedTo);
    }
  }

  async #advance(term: Term, erasure: Open, now: number): Promise<void> {
    if (erasure.advanced || erasure.notBefore > now || term.signal.aborted) return;
    try {
      await this.#clear(erasure.requested, term.signal);
      erasure.advanced = true;
    } catch (error) {
      failed(term, erasure, error);
    }
  }

  /** Everything but the files. */
  async #clear(requested: Open['requested'], signal: AbortSignal): Promise<void> {
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
    } else {
      if (target.kind === 'subject')
        await services.vault.destroySubject(tenant, target.subject, target.generation);
      // Until then another process may seal something with a key that it has in memory.
      await pause(requested.time.getTime() + keysKeptMs - Date.now(), signal);
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const found = await findSubjectStreams(services.store, tenant, target, signal);
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

  /** The state after the surfaces were counted, once. */
  async #counted(
    requested: Open['requested'],
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
    { event, metadata }: Open['requested'],
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

  /** Has the files rewritten if that is due for one of the erasures, and completes all that wait for it. */
  async #rewriteFiles(term: Term, open: ReadonlyMap<string, Open>, now: number): Promise<void> {
    const { remains } = this.#parts;
    const waiting = [...open.values()].filter((erasure) => erasure.advanced && erasure.notBefore <= now);
    if (!waiting.some((erasure) => this.#filesDueAt(erasure) <= now) || term.signal.aborted) return;
    try {
      for (const one of remains) await one.rewrite();
      for (const { requested } of waiting) await this.#complete(requested);
    } catch (error) {
      for (const erasure of waiting) failed(term, erasure, error);
    }
  }

  #filesDueAt({ requested: { event, time } }: Open): number {
    const when: FilesWhen = event.data.files;
    return when === 'immediately' ? 0 : time.getTime() + filesStartAt * this.#parts.filesWithinMs;
  }

  #nextMs(open: ReadonlyMap<string, Open>, now: number): number {
    const times = [...open.values()].map((erasure) =>
      Math.max(erasure.notBefore, erasure.advanced ? this.#filesDueAt(erasure) : 0),
    );
    return Math.min(2 ** 30, Math.max(50, Math.min(...times, Infinity) - now));
  }

  async #complete(requested: Open['requested']): Promise<void> {
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

  async #record(requested: Open['requested'], event: ErasureEvent): Promise<void> {
    const context = eventContext(causedBy(this.#context, requested));
    await this.#parts.services.store.append(requested.stream, 'exists', [event], context);
  }

  async #state({ stream }: Open['requested']): Promise<ErasureState> {
    const loaded = await this.#parts.services.store.load<ErasureEvent>(stream);
    return foldErasure(loaded.map(({ event }) => event))!;
  }
}

/** Whether nothing is left to erase. The streams of summaries stay, and are invalidated once. */
function isEmpty({ memories, traceIds, lessonIds, questions }: SubjectStreams): boolean {
  return [memories, traceIds, lessonIds, questions].every(({ length }) => length === 0);
}

function cleared({ name, count }: ClearedSurface, at: string): ClearedSurface {
  const state = name === sealedName ? 'unreadable' : 'cleared';
  const note = notes[name];
  return { name, count, state, at, ...(note !== undefined && { note }) };
}

/** The erasure is tried again after a while: what is down delays it. */
function failed(term: Term, erasure: Open, error: unknown): void {
  if (term.signal.aborted) return;
  erasure.notBefore = Date.now() + Math.min(firstRetryMs * 2 ** erasure.failures++, maxRetryMs);
  term.report(error);
}
