import { RewrittenTables } from '../adapters/sql/rewrite-tables.ts';
import { outOfReach } from '../backends/out-of-reach.ts';
import type { Signer } from '../domain/tlog/note.ts';
import { reactorsFollowed, type FollowedBy } from '../follow/reactors-followed.ts';
import { ExpungedIndex } from '../projections/lexical/expunged-index.ts';
import { ErasureRunner } from '../reactors/erasure-runner.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs, startProcessor } from './start-processor.ts';

/** What follows an erasure, in the order in which one causes the next. */
const reactors: readonly FollowedBy[] = [
  { name: 'erasures', types: ['MemoryErased', 'ErasureRequested'] },
  { name: 'trace-erasures', types: ['MemoryErased'] },
  { name: 'lesson-updates', types: ['ReasoningTraceErased'] },
  { name: 'erasures', types: ['ReasoningTraceErased', 'LessonRevised', 'LessonForgotten'] },
];

/** Longest time that a key, or what was decrypted with it, stays in the memory of another process after it was destroyed. */
const keysKeptMs = 35_000;

/** Carries out erasures and signs their receipts. */
export function startErasures(
  own: Process,
  { commands, store }: CommandSide,
  { surfaces }: ReadSide,
  { origin, signers }: { readonly origin: string; readonly signers: readonly Signer[] },
): void {
  const { config, stores } = own;
  const { sql, lexicalIndex } = stores;
  const runner = new ErasureRunner(
    {
      services: commands,
      surfaces,
      remains: [...(lexicalIndex ? [new ExpungedIndex(lexicalIndex)] : []), new RewrittenTables(sql)],
      followed: (signal) => reactorsFollowed({ sql, store }, reactors, readModelWaitMs, signal),
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
