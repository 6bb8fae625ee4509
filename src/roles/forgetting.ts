import { randomUUID } from 'node:crypto';
import type { ProcessRegistry } from '../adapters/sql/process-registry.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { MemoryRef } from '../ports/surface.ts';
import type { Surfaces } from '../queries/surfaces.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import type { Process } from './process.ts';

const retryMs = 5_000;
const reportEveryMs = 15_000;

interface Forgetting {
  readonly store: EventStore;
  readonly surfaces: Surfaces;
  readonly forgetQuestions: () => void;
  /** Where other processes see that this one has forgotten; undefined if there is no other. */
  readonly registry: ProcessRegistry | undefined;
}

/** Empties the caches of this process of erased memories when their erasure is in the log, whichever process erased them. */
export function startForgetting(
  { logger, cleanup }: Process,
  { store, surfaces, forgetQuestions, registry }: Forgetting,
): void {
  const stop = new AbortController();
  const { signal } = stop;
  const id = randomUUID();
  let forgotten = 0;
  const report = async (): Promise<void> => {
    await registry?.report(id, forgotten).catch((error: unknown) => {
      if (!signal.aborted) logger.warn({ err: error }, 'this process could not report what it has forgotten');
    });
  };
  const reporting = inBackground(async () => {
    if (!registry) return;
    for (; !signal.aborted; await pause(reportEveryMs, signal)) if (forgotten > 0) await report();
  });
  const running = inBackground(async () => {
    // Erasures before this process started do not concern its caches.
    let after: number | undefined;
    while (!signal.aborted)
      try {
        after ??= await store.log.head();
        forgotten = Math.max(forgotten, after);
        await report();
        const pages = store.subscribe({
          after,
          filter: { types: ['MemoryErased', 'ErasureRequested'] },
          routingOnly: true,
          signal,
        });
        for await (const { events, scannedTo } of pages) {
          const erased = events.flatMap(({ event, metadata: { tenant } }): MemoryRef[] => {
            if (event.type === 'MemoryErased') return [{ tenant, memoryId: event.data.memoryId }];
            if (event.type !== 'ErasureRequested' || event.data.target.kind === 'memory') return [];
            // Questions of a person are cached, too, and are about no single memory.
            forgetQuestions();
            const { target } = event.data;
            const of = target.kind === 'tenant' ? target.tenant : tenant;
            return [{ tenant: of, memoryId: event.data.erasureId }];
          });
          if (erased.length > 0) await surfaces.forget(erased, events.at(-1)!.position);
          after = forgotten = scannedTo;
          if (events.length > 0) await report();
        }
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error }, 'an erased memory may still be in memory; this is tried again');
        await pause(retryMs, signal);
      }
  });
  cleanup.add(async () => {
    stop.abort();
    await Promise.all([running, reporting]);
    await registry?.leave(id).catch(() => undefined);
  });
}
