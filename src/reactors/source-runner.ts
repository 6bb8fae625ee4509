import { inTenant, type CommandContext } from '../commands/context.ts';
import { lastRun, loadSources } from '../commands/sources/load-sources.ts';
import { sourceConfigEvents, type SourceConfigEvent } from '../domain/sources/events.ts';
import {
  foldSources,
  nextRunOf,
  noSources,
  type Source,
  type SourceRun,
  type Sources,
} from '../domain/sources/sources.ts';
import { spacesHolding } from '../domain/spaces/spaces.ts';
import { HeldLease } from '../follow/held-lease.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import { leaseTtlMs, type Leases } from '../ports/leases.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { WakeUp } from '../support/wake-up.ts';
import { runSource, type RunParts } from './sources/run-source.ts';

export interface SourceRunnerParts extends RunParts {
  readonly leases: Leases;
}

/** Sources that one process reads at a time. */
const maxAtOnce = 4;
/** A run that said nothing about its source, such as one during which the database was down, is repeated after this time. */
const retryMs = 30_000;
/** Clocks may be set and machines may sleep: due times are compared with the clock at least this often, where there are sources. */
const maxSleepMs = 60_000;
const forever = 2 ** 31 - 1;

interface Known {
  readonly tenant: string;
  readonly id: string;
  source: Source;
  /** Undefined until it was read. */
  last?: { readonly run: SourceRun | undefined } | undefined;
  /** Another process runs it, or it could not be run: it is left alone until then (`Date.now`). */
  leftUntil: number;
}

/**
 * Reads sources when they are due. Every worker waits for all of them, and a lease for each source decides who reads it. It sleeps until the
 * next one is due or a configuration changes; without sources, it only follows their events.
 */
export class SourceRunner implements EventProcessor {
  readonly name = 'sources';
  readonly sharing = 'group';
  readonly #parts: SourceRunnerParts;
  readonly #context: CommandContext;

  constructor(parts: SourceRunnerParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const known = new Map<string, Known>();
    const running = new Map<string, Promise<void>>();
    const changed = new WakeUp();
    const following = this.#follow(term, known, changed).catch((error: unknown) => term.fail(error));
    try {
      while (!term.signal.aborted) {
        const seen = changed.count;
        const due = await this.#due(known, running).catch((error: unknown) => {
          if (!term.signal.aborted) term.report(error);
          return { now: [], nextMs: retryMs };
        });
        for (const [key, each] of due.now.slice(0, maxAtOnce - running.size))
          running.set(
            key,
            this.#attempt(term, each).finally(() => {
              running.delete(key);
              changed.wake();
            }),
          );
        await changed.after(seen, due.nextMs, term.signal);
      }
    } finally {
      await Promise.allSettled(running.values());
    }
    await following;
  }

  /** Keeps `known` as the log says. */
  async #follow(term: Term, known: Map<string, Known>, changed: WakeUp): Promise<void> {
    const tenants = new Map<string, Sources>();
    term.began();
    const pages = this.#parts.services.store.subscribe({
      after: 0,
      filter: { types: sourceConfigEvents },
      routingOnly: true,
      signal: term.signal,
    });
    for await (const { events } of pages) {
      for (const loaded of events as readonly LoadedEvent<SourceConfigEvent>[]) {
        const { tenant } = loaded.metadata;
        const sources = foldSources(tenants.get(tenant) ?? noSources, [loaded]);
        tenants.set(tenant, sources);
        const id = loaded.event.data.sourceId;
        const key = `${tenant} ${id}`;
        const source = sources.configured.get(id);
        const before = known.get(key);
        if (!source) known.delete(key);
        else if (before) Object.assign(before, { source, leftUntil: 0 });
        else known.set(key, { tenant, id, source, leftUntil: 0 });
      }
      if (events.length > 0) changed.wake();
    }
  }

  /** The sources that are due and not being read here, the longest due first, and how long to sleep if there are none. */
  async #due(
    known: ReadonlyMap<string, Known>,
    running: ReadonlyMap<string, unknown>,
  ): Promise<{ readonly now: readonly (readonly [string, Known])[]; readonly nextMs: number }> {
    const { services } = this.#parts;
    const due: { readonly key: string; readonly at: number; readonly each: Known }[] = [];
    let nextMs = known.size === 0 ? forever : maxSleepMs;
    for (const [key, each] of known) {
      if (running.has(key)) continue;
      each.last ??= { run: (await lastRun(services, each.tenant, each.id))?.run };
      const isHeld = await this.#isHeld(each);
      const at = nextRunOf(each.source, each.last.run, isHeld)?.getTime();
      if (at === undefined) continue;
      const waitMs = Math.max(at, each.leftUntil) - Date.now();
      if (waitMs <= 0) due.push({ key, at, each });
      else nextMs = Math.min(nextMs, waitMs);
    }
    due.sort((one, other) => one.at - other.at);
    return { now: due.map(({ key, each }) => [key, each]), nextMs };
  }

  /** Whether one of its spaces has `autoIngest: false`. */
  async #isHeld({ tenant, source }: Known): Promise<boolean> {
    return spacesHolding(await this.#parts.services.spaces.of(tenant), source).length > 0;
  }

  /** Reads a source, unless another process does, or has done so. */
  async #attempt(term: Term, each: Known): Promise<void> {
    const { leases } = this.#parts;
    const name = `source ${each.tenant} ${each.id}`;
    try {
      const lease = await HeldLease.take(leases, name, (error) => term.report(error));
      if (!lease) {
        each.leftUntil = Date.now() + leaseTtlMs;
        each.last = undefined;
        return;
      }
      try {
        await this.#runOnce(AbortSignal.any([term.signal, lease.lost]), each);
      } finally {
        await lease.end();
        await leases.release(name).catch(() => undefined);
      }
    } catch (error) {
      each.leftUntil = Date.now() + retryMs;
      if (!term.signal.aborted) term.report(error);
    }
  }

  async #runOnce(signal: AbortSignal, each: Known): Promise<void> {
    const { services } = this.#parts;
    const { tenant, id } = each;
    const [sources, before] = await Promise.all([
      loadSources(services, tenant),
      lastRun(services, tenant, id),
    ]);
    const source = sources.configured.get(id);
    each.last = { run: before?.run };
    if (!source) {
      // It was removed or erased. Its next event, if there is one, brings it back.
      each.leftUntil = Infinity;
      return;
    }
    each.source = source;
    const dueAt = nextRunOf(source, before?.run, await this.#isHeld(each));
    if (!dueAt || dueAt > services.clock.now()) return;
    const own = inTenant(this.#context, tenant);
    // It acts for whoever configured the source, wherever that could write.
    const context = { ...own, caller: { ...own.caller, roles: ['admin'] as const } };
    const run = await runSource(
      this.#parts,
      context,
      source,
      {
        seen: sources.revision,
        before: { run: before?.run, position: before?.position ?? 0 },
      },
      signal,
    );
    each.last = { run };
  }
}
