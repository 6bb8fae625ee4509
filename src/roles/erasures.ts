import { RewrittenTables } from '../adapters/sql/rewrite-tables.ts';
import type { ProcessRegistry } from '../adapters/sql/process-registry.ts';
import { outOfReach } from '../backends/out-of-reach.ts';
import type { Signer } from '../domain/tlog/note.ts';
import { reactorsFollowed, type FollowedBy } from '../follow/reactors-followed.ts';
import { ExpungedIndex } from '../projections/lexical/expunged-index.ts';
import type { EventStore } from '../ports/event-store.ts';
import { ErasureRunner } from '../reactors/erasure-runner.ts';
import { pause } from '../support/pause.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs, startProcessor } from './start-processor.ts';

/** What follows an erasure, in the order in which one causes the next. */
const reactors: readonly FollowedBy[] = [
  // A document that is being stored while it is erased.
  { name: 'document-sections', types: ['DocumentErased'] },
  { name: 'erasures', types: ['DocumentErased', 'DocumentTextErased', 'MemoryErased', 'ErasureRequested'] },
  { name: 'trace-erasures', types: ['MemoryErased'] },
  { name: 'lesson-updates', types: ['ReasoningTraceErased'] },
  { name: 'erasures', types: ['ReasoningTraceErased', 'LessonRevised', 'LessonForgotten'] },
];

/** Longest time that a key, or what was decrypted with it, stays in the memory of another process after it was destroyed. */
const keysKeptMs = 35_000;
const pollMs = 200;

/** Waits until every process has forgotten what was erased. Rejects if one takes too long. */
async function processesForgot(
  registry: ProcessRegistry,
  store: EventStore,
  signal: AbortSignal,
): Promise<void> {
  const filter = { types: ['MemoryErased', 'ErasureRequested'] };
  const { events } = await store.readAll({ direction: 'backwards', limit: 1, filter, routingOnly: true });
  const deadline = performance.now() + readModelWaitMs;
  for (; !signal.aborted; await pause(pollMs, signal)) {
    const behind = await registry.behind(events[0]?.position ?? 0);
    if (behind === 0) return;
    if (performance.now() > deadline)
      throw new Error(`${behind} processes may have in memory what was erased`);
  }
}

/** Carries out erasures and signs their receipts. */
export function startErasures(
  own: Process,
  { commands, store }: CommandSide,
  { surfaces, registry }: ReadSide,
  { origin, signers }: { readonly origin: string; readonly signers: readonly Signer[] },
): void {
  const { config, stores } = own;
  const { sql, lexicalIndex } = stores;
  const runner = new ErasureRunner(
    {
      services: commands,
      surfaces,
      remains: [...(lexicalIndex ? [new ExpungedIndex(lexicalIndex)] : []), new RewrittenTables(sql)],
      followed: async (signal) => {
        await reactorsFollowed({ sql, store }, reactors, readModelWaitMs, signal);
        if (registry) await processesForgot(registry, store, signal);
      },
      keysKeptMs: config.profile === 'embedded' ? 0 : keysKeptMs,
      filesWithinMs: config.erasedFilesWithinMs,
      origin,
      signers,
      outOfReach: outOfReach(config),
      encrypted: config.profile === 'cluster' ? ['topics'] : [],
    },
    systemCommandContext('erasures'),
  );
  startProcessor(own, runner);
}
