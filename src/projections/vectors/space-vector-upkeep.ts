import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { SpaceEvent } from '../../domain/spaces/events.ts';
import type { NamedModel } from '../../domain/spaces/space-models.ts';
import type { EventProcessor, Term } from '../../follow/processor.ts';
import type { EventStore, LoadedEvent } from '../../ports/event-store.ts';
import { inBackground } from '../../support/background.ts';
import { WakeUp } from '../../support/wake-up.ts';
import type { SpaceVectors } from './space-vectors.ts';

export interface SpaceVectorUpkeepOptions {
  readonly store: EventStore;
  readonly vectors: SpaceVectors;
  /** Resolves when the read models `memories` and `vectors` have applied the log up to a position. */
  readonly applied: (position: number) => Promise<void>;
}

const ofSpaces = ['SpaceConfigured', 'SpaceRemoved'] as const;
/** After these, a memory may lack a vector or have one too many. */
const ofMemories = [
  'MemoryStored',
  'MemoryUpdated',
  'MemoryRestored',
  'MemoryUnarchived',
  'MemoryReviewed',
] as const;
/** Memories that are looked at one by one; if more have changed, all of the tenant are. */
const maxChanged = 1_000;
/** How often all memories are looked at, besides after each change of a space: the server may have another model by default since. */
const sweepMs = 600_000;
/** Pause after a failure. It doubles with each one. */
const pausesMs = { first: 2_000, longest: 60_000 };

/** What there is to do for a tenant whose spaces name models, or did. */
interface Work {
  /** The models by space. */
  readonly models: Map<string, string>;
  /** The memories that have changed since they were looked at. */
  changed: Set<string>;
  /** Position of the last change. */
  position: number;
  /** When all of its memories are looked at next, in milliseconds of `performance.now()`. */
  sweepAt: number;
  pauseMs: number;
}

/**
 * Keeps the vectors by the models of spaces as the configurations and memories say, in the background: after a change the memory is found
 * by its other vectors until they are there. It follows memories only once a space names a model. One process at a time does it.
 */
export class SpaceVectorUpkeep implements EventProcessor {
  readonly name = 'space-vectors';
  readonly sharing = 'lease';
  readonly #options: SpaceVectorUpkeepOptions;

  constructor(options: SpaceVectorUpkeepOptions) {
    this.#options = options;
  }

  async run(term: Term): Promise<void> {
    const work = new Map<string, Work>();
    const woken = new WakeUp();
    const end = (error: unknown): void => term.fail(error);
    let memories: Promise<void> | undefined;
    const spaces = this.#followSpaces(term, work, () => {
      memories ??= this.#followMemories(term, work, woken).catch(end);
      woken.wake();
    }).catch(end);
    await inBackground(async () => {
      while (!term.signal.aborted) {
        const seen = woken.count;
        for (const [tenant, own] of seen > 0 ? work : []) await this.#keep(term, tenant, own);
        const dueAt = Math.min(...[...work.values()].map(({ sweepAt }) => sweepAt));
        await woken.after(seen, Math.max(0, Math.min(dueAt - performance.now(), sweepMs)), term.signal);
      }
    });
    await Promise.all([spaces, memories]);
  }

  async #followSpaces(term: Term, work: Map<string, Work>, onModels: () => void): Promise<void> {
    const { store } = this.#options;
    term.began(0);
    // The spaces as they are now: nothing is made or removed by what they were once.
    const head = await store.log.head();
    let isKnown = false;
    const filter = { types: ofSpaces };
    const pages = store.subscribe({ after: 0, filter, routingOnly: true, signal: term.signal });
    for await (const page of pages) {
      for (const { event, metadata, position } of page.events as readonly LoadedEvent<SpaceEvent>[])
        note(work, metadata.tenant, event, position);
      if (work.size > 0 && page.scannedTo >= head && (page.events.length > 0 || !isKnown)) {
        isKnown = true;
        onModels();
      }
      term.reached(page.scannedTo);
    }
  }

  /** What changed before is found by looking at all memories. */
  async #followMemories({ signal }: Term, work: ReadonlyMap<string, Work>, woken: WakeUp): Promise<void> {
    const { store } = this.#options;
    const after = await store.log.head();
    for (const own of work.values()) [own.position, own.sweepAt] = [Math.max(own.position, after), 0];
    woken.wake();
    const pages = store.subscribe({ after, filter: { types: ofMemories }, routingOnly: true, signal });
    for await (const page of pages) {
      for (const { event, metadata, position } of page.events as readonly LoadedEvent<MemoryEvent>[]) {
        const own = work.get(metadata.tenant);
        if (!own || own.models.size === 0) continue;
        own.changed.add(event.data.memoryId);
        own.position = Math.max(own.position, position);
        woken.wake();
      }
    }
  }

  async #keep(term: Term, tenant: string, own: Work): Promise<void> {
    const isSweep = own.sweepAt <= performance.now() || own.changed.size > maxChanged;
    if (!isSweep && own.changed.size === 0) return;
    const ids = isSweep ? undefined : [...own.changed];
    own.changed = new Set();
    own.sweepAt = isSweep ? nextSweep(own) : own.sweepAt;
    const named: NamedModel[] = [...own.models].map(([space, model]) => ({ space, model }));
    try {
      await this.#options.applied(own.position);
      await this.#options.vectors.bringUpToDate({ tenant, named, ids }, term.signal);
      own.pauseMs = pausesMs.first;
    } catch (error) {
      if (term.signal.aborted) return;
      term.report(error);
      own.sweepAt = performance.now() + own.pauseMs;
      own.pauseMs = Math.min(2 * own.pauseMs, pausesMs.longest);
    }
  }
}

/** Nothing is left to do for a tenant whose spaces name no models any more, once its vectors are removed. */
function nextSweep({ models }: Work): number {
  return models.size === 0 ? Infinity : performance.now() + sweepMs;
}

function note(work: Map<string, Work>, tenant: string, event: SpaceEvent, position: number): void {
  if (event.type !== 'SpaceConfigured' && event.type !== 'SpaceRemoved') return;
  const { spaceId } = event.data;
  const model = event.type === 'SpaceConfigured' ? event.data.settings.embeddingModel : undefined;
  const own = work.get(tenant);
  if (own?.models.get(spaceId) === model) return;
  const changed = own ?? {
    models: new Map(),
    changed: new Set(),
    position,
    sweepAt: 0,
    pauseMs: pausesMs.first,
  };
  work.set(tenant, changed);
  if (model === undefined) changed.models.delete(spaceId);
  else changed.models.set(spaceId, model);
  changed.position = Math.max(changed.position, position);
  changed.sweepAt = 0;
}
