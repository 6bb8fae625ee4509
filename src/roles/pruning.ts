import type { CommandServices } from '../commands/context.ts';
import { Lifetimes } from '../queries/lifetimes.ts';
import { PruningRunner } from '../reactors/pruning-runner.ts';
import { CautiousClock } from '../support/cautious-clock.ts';
import type { CommandSide } from './command-side.ts';
import { lastTrustedTime } from './last-trusted-time.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startProcessor, steadyNow } from './start-processor.ts';

/** A server that was off for less continues at once. */
const startToleranceMs = 86_400_000;
const confirmMs = 3_600_000;

/** Deletes memories whose time is over, and takes the labels of removed spaces from memories. */
export function startPruning(
  own: Process,
  {
    services,
    store,
    models,
  }: Pick<ReadSide, 'models'> & {
    readonly services: CommandServices;
    readonly store: CommandSide['store'];
  },
): void {
  const lifetimes = new Lifetimes(models);
  // What answers searches and contexts: a slice waits for it, so that these are never far behind.
  const searched = ['memories', 'vectors', 'lexical', 'fields', 'statistics'];
  const reads = {
    expired: (at: Date, limit: number, except: readonly string[], minPosition: number) =>
      lifetimes.expired(at, limit, except, { minPosition, waitMs }),
    nextExpiry: (except: readonly string[]) => lifetimes.nextExpiry(except),
    inSpace: (page: Parameters<typeof lifetimes.inSpace>[0], minPosition: number) =>
      lifetimes.inSpace(page, { minPosition, waitMs }),
    applied: async (minPosition: number) =>
      void (await models.view({ projections: searched, minPosition, waitMs })),
  };
  const openClock = async () => {
    const { events } = await store.log.readAll({
      direction: 'backwards',
      limit: 1,
      filter: { categories: ['memory'] },
    });
    const now = Date.now();
    return new CautiousClock({
      wall: () => Date.now(),
      steady: steadyNow,
      // A log without memories has nothing to delete by a wrong clock.
      latestKnown: events.length === 0 ? now : (await lastTrustedTime(store.log, now, confirmMs)).getTime(),
      startToleranceMs,
      confirmMs,
    });
  };
  startProcessor(own, new PruningRunner({ services, reads, openClock }, systemCommandContext('pruning')));
}
