import { detachMemory, pruneMemory } from '../commands/prune-memory.ts';
import { recordDetached } from '../commands/spaces/configure-space.ts';
import { inTenant, type CommandContext, type CommandServices } from '../commands/context.ts';
import { createdBefore, retentionDaysOf, type PruningCause } from '../domain/memory/lifetime.ts';
import type { SpaceEvent } from '../domain/spaces/events.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import { WakeUp } from '../support/wake-up.ts';

/** A memory of a space, as the read models know it. */
interface Member {
  readonly memoryId: string;
  readonly spaces: readonly string[];
  readonly kept: boolean;
}

/** Reads of the memories whose time may be over. They wait until the read models have applied the log up to `minPosition`. */
export interface PruningReads {
  expired(
    at: Date,
    limit: number,
    except: readonly string[],
    minPosition: number,
  ): Promise<readonly { readonly tenant: string; readonly memoryId: string }[]>;
  nextExpiry(except: readonly string[]): Promise<Date | undefined>;
  /** The memories of a space that are older than `before`, oldest first. */
  inSpace(
    page: {
      readonly tenant: string;
      readonly space: string;
      readonly before: Date;
      readonly after?: string | undefined;
      readonly limit: number;
    },
    minPosition: number,
  ): Promise<readonly Member[]>;
  /** Resolves when everything that answers searches has applied the log up to a position. */
  applied(position: number): Promise<void>;
}

export interface PruningParts {
  readonly services: CommandServices;
  readonly reads: PruningReads;
  /** Never ahead of the time: see `CautiousClock`. Opened with each term. */
  readonly openClock: () => Promise<{ now(): Date }>;
}

/** Memories of one slice. */
const atOnce = 200;
const lanes = 16;
/** Memories whose age is looked at in one read. */
const pageSize = 500;
/** How often the ages of memories are compared with the retention of their spaces, besides after each change of it. */
const sweepMs = 600_000;
/** How often it is looked for the next memory that expires. */
const pollMs = 5_000;
/** A memory that could not be deleted is tried again after this time, and does not keep the others waiting. */
const retryMs = 30_000;

/** What the spaces of a tenant make necessary. */
interface Housework {
  /** Spaces with a retention. */
  readonly retained: Set<string>;
  /** Removed spaces whose memories lose the label, with the position of the removal. */
  readonly detaching: Map<string, number>;
  /** When the ages of its memories are looked at next, in milliseconds of `performance.now()`. */
  sweepAt: number;
}

const types = ['SpaceConfigured', 'SpaceRemoved', 'SpaceDetached'] as const;

/**
 * Deletes memories softly that have expired, or are older than the retention of their spaces, and takes the labels of removed spaces from
 * memories. It works in slices, each followed by a pause, and decides about each memory by its own events, so that it can be killed
 * anywhere. One process at a time does it.
 */
export class PruningRunner implements EventProcessor {
  readonly name = 'pruning';
  readonly sharing = 'lease';
  readonly #parts: PruningParts;
  readonly #context: CommandContext;
  /** When each memory that could not be changed is tried again. */
  readonly #postponed = new Map<string, number>();

  constructor(parts: PruningParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const work = new Map<string, Housework>();
    const clock = await this.#parts.openClock();
    const changed = new WakeUp();
    const following = this.#follow(term, work, changed).catch((error: unknown) => term.fail(error));
    await inBackground(async () => {
      while (!term.signal.aborted) {
        const seen = changed.count;
        const started = performance.now();
        for (const [id, until] of this.#postponed) if (until <= started) this.#postponed.delete(id);
        try {
          await this.#pruneExpired(term, clock);
          for (const [tenant, own] of work) await this.#keepHouse(term, tenant, own, clock);
        } catch (error) {
          if (!term.signal.aborted) term.report(error);
        }
        await changed.after(seen, await this.#nextMs(work, clock), term.signal);
      }
    });
    await following;
  }

  /** Keeps `work` as the log says. */
  async #follow(term: Term, work: Map<string, Housework>, changed: WakeUp): Promise<void> {
    const { store } = this.#parts.services;
    term.began(0);
    const pages = store.subscribe({ after: 0, filter: { types }, routingOnly: true, signal: term.signal });
    for await (const page of pages) {
      for (const loaded of page.events as readonly LoadedEvent<SpaceEvent>[]) {
        const { tenant } = loaded.metadata;
        const own = work.get(tenant) ?? { retained: new Set(), detaching: new Map(), sweepAt: 0 };
        work.set(tenant, own);
        note(own, loaded);
      }
      if (page.events.length > 0) changed.wake();
      term.reached(page.scannedTo);
    }
  }

  async #pruneExpired({ signal }: Term, clock: { now(): Date }): Promise<void> {
    const { services, reads } = this.#parts;
    let position = 0;
    while (!signal.aborted && (await this.#nextExpiryMs(clock)) <= 0) {
      const now = clock.now();
      const due = await reads.expired(now, atOnce, [...this.#postponed.keys()], position);
      if (due.length === 0) return;
      const known = new Map(
        await Promise.all(
          [...new Set(due.map(({ tenant }) => tenant))].map(
            async (tenant) => [tenant, await services.spaces.current(tenant)] as const,
          ),
        ),
      );
      position = await this.#slice(due, signal, async ({ tenant, memoryId }) => {
        const spaces = known.get(tenant)!;
        const pruned = await this.#prune(tenant, memoryId, { because: 'expired', now, spaces });
        // The read model says that it is due, and its events do not: it is about to follow them.
        if (pruned === undefined) this.#postponed.set(memoryId, performance.now() + retryMs);
        return pruned;
      });
    }
  }

  async #keepHouse({ signal }: Term, tenant: string, own: Housework, clock: { now(): Date }): Promise<void> {
    for (const [space, removedAt] of own.detaching)
      await this.#detach(signal, tenant, space, { own, removedAt });
    if (own.retained.size === 0 || own.sweepAt > performance.now()) return;
    own.sweepAt = performance.now() + sweepMs;
    for (const space of own.retained) await this.#sweep(signal, tenant, space, clock);
  }

  /** Deletes the memories of a space that are older than the retention of all their spaces. */
  async #sweep(signal: AbortSignal, tenant: string, space: string, clock: { now(): Date }): Promise<void> {
    const { services, reads } = this.#parts;
    let after: string | undefined;
    while (!signal.aborted) {
      // Read again for each page: a retention that was prolonged meanwhile counts.
      const spaces = await services.spaces.current(tenant);
      const days = spaces.configured.get(space)?.config.retentionDays;
      if (days === undefined) return;
      const now = clock.now();
      const before = createdBefore(now, days);
      const page = await reads.inSpace({ tenant, space, before, after, limit: pageSize }, 0);
      if (page.length === 0) return;
      after = page.at(-1)!.memoryId;
      const due = page.filter(
        ({ kept, spaces: labels }) => !kept && retentionDaysOf(spaces, labels) !== undefined,
      );
      for (let from = 0; from < due.length && !signal.aborted; from += atOnce) {
        const latest = await services.spaces.current(tenant);
        await this.#slice(due.slice(from, from + atOnce), signal, ({ memoryId }) =>
          this.#prune(tenant, memoryId, { because: 'retention', now, spaces: latest }),
        );
      }
    }
  }

  async #detach(
    signal: AbortSignal,
    tenant: string,
    space: string,
    { own, removedAt }: { readonly own: Housework; readonly removedAt: number },
  ): Promise<void> {
    const { services, reads } = this.#parts;
    const context = { ...inTenant(this.#context, tenant), reason: 'space removed' };
    const before = new Date(8.64e15);
    let after: string | undefined;
    let memories = 0;
    // Ends if the space is configured again meanwhile.
    while (!signal.aborted && own.detaching.get(space) === removedAt) {
      const page = await reads.inSpace({ tenant, space, before, after, limit: atOnce }, removedAt);
      if (page.length === 0) {
        await recordDetached(services, inTenant(this.#context, tenant), space, { memories, removedAt });
        own.detaching.delete(space);
        return;
      }
      after = page.at(-1)!.memoryId;
      await this.#slice(page, signal, async ({ memoryId }) => {
        const position = await detachMemory(services, context, memoryId, { space, removedAt });
        if (position !== undefined) memories++;
        return position;
      });
    }
  }

  #prune(
    tenant: string,
    memoryId: string,
    options: { readonly because: PruningCause } & Parameters<typeof pruneMemory>[3],
  ): Promise<number | undefined> {
    return pruneMemory(this.#parts.services, inTenant(this.#context, tenant), memoryId, options);
  }

  /**
   * Changes memories, and waits until searches know it. Then it rests for as long as that took, so that at least half of the time is
   * for others. Returns the position of the last change. A memory that cannot be changed is left for later.
   */
  async #slice<Due extends { readonly memoryId: string }>(
    due: readonly Due[],
    signal: AbortSignal,
    change: (due: Due) => Promise<number | undefined>,
  ): Promise<number> {
    const started = performance.now();
    let position = 0;
    const waiting = [...due];
    let failure: unknown;
    const lane = async () => {
      for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
        try {
          position = Math.max(position, (await change(next)) ?? 0);
        } catch (error) {
          failure = error;
          this.#postponed.set(next.memoryId, performance.now() + retryMs);
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (position > 0) await this.#parts.reads.applied(position);
    await pause(performance.now() - started, signal);
    if (failure !== undefined && position === 0) throw failure;
    return position;
  }

  async #nextExpiryMs(clock: { now(): Date }): Promise<number> {
    const next = await this.#parts.reads.nextExpiry([...this.#postponed.keys()]);
    return (next?.getTime() ?? Infinity) - clock.now().getTime();
  }

  async #nextMs(work: ReadonlyMap<string, Housework>, clock: { now(): Date }): Promise<number> {
    const sweeps = [...work.values()].flatMap(({ retained, sweepAt }) =>
      retained.size > 0 ? [sweepAt] : [],
    );
    const ms = Math.min(
      pollMs,
      await this.#nextExpiryMs(clock).catch(() => pollMs),
      Math.min(...sweeps, ...this.#postponed.values()) - performance.now(),
    );
    return Math.max(50, ms);
  }
}

function note(own: Housework, { event, position }: LoadedEvent<SpaceEvent>): void {
  switch (event.type) {
    case 'SpaceConfigured': {
      const { spaceId, settings } = event.data;
      own.detaching.delete(spaceId);
      if (settings.retentionDays === undefined) own.retained.delete(spaceId);
      else own.retained.add(spaceId);
      own.sweepAt = 0;
      break;
    }
    case 'SpaceRemoved':
      own.retained.delete(event.data.spaceId);
      if (event.data.detach) own.detaching.set(event.data.spaceId, position);
      break;
    case 'SpaceDetached':
      own.detaching.delete(event.data.spaceId);
      break;
    case 'SpacesRestricted':
    case 'TrustConfigured':
      break;
    default:
      event satisfies never;
  }
}
