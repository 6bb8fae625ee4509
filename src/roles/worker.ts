import { eventContext } from '../commands/context.ts';
import type { ProjectionOperations } from '../projections/operations.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import { underLease } from '../reactors/under-lease.ts';
import type { CommandSide } from './command-side.ts';
import { startCitations } from './citations.ts';
import { startConflicts } from './conflicts.ts';
import { startDocuments } from './documents.ts';
import { startDuplicates } from './duplicates.ts';
import { startFacts } from './facts.ts';
import { startOutcomes } from './outcomes.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { startExperience } from './experience.ts';
import { startPolicies, type Learning } from './policies.ts';
import { startPruning } from './pruning.ts';
import { startProcessor } from './start-processor.ts';
import { startSources } from './sources.ts';
import { startSummaries } from './summaries.ts';

const interruptedCheckMs = 15_000;
const firstRenewalPauseMs = 15_000;
const longestRenewalPauseMs = 600_000;

/** The role `worker`: runs reactors, and renews read models that an earlier version of the program built. */
export function startWorker(
  own: Process,
  commandSide: CommandSide,
  readSide: ReadSide,
  learning: Learning,
): void {
  const { commands, store, ledger } = commandSide;
  const { erasures, operations, models, embedders } = readSide;
  startProcessor(own, erasures);
  startSummaries(own, { services: commands, store, models, embedders, ledger });
  startExperience(own, { services: commands, store, models, embedders, ledger });
  startFacts(own, { commands, store, ledger }, readSide);
  startConflicts(own, { commands, store }, readSide);
  startCitations(own, { commands, store });
  startDocuments(own, { commands, store }, readSide);
  startSources(own, commandSide, readSide);
  startDuplicates(own, { commands, store }, readSide);
  startPruning(own, { services: commands, store, models });
  const outcomes = startOutcomes(own, { services: commands, store, models });
  startPolicies(own, outcomes, learning);
  startRenewal(own, operations);
}

/**
 * Rebuilds stale read models once, retried until it succeeds, and regularly ends rebuilds whose process no longer
 * exists.
 */
function startRenewal({ logger, leases, cleanup }: Process, operations: ProjectionOperations): void {
  const stop = new AbortController();
  const { signal } = stop;
  const context = eventContext(systemCommandContext('renew'));
  const report = (error: unknown, message: string): void => {
    if (!signal.aborted) logger.error({ err: error }, message);
  };
  const renew = async (): Promise<void> => {
    for (
      let waitMs = firstRenewalPauseMs;
      !signal.aborted;
      waitMs = Math.min(2 * waitMs, longestRenewalPauseMs)
    ) {
      try {
        return await underLease(leases, 'renewal', () => operations.renewStale(context), signal);
      } catch (error) {
        report(error, 'a stale read model could not be rebuilt');
      }
      await pause(waitMs, signal);
    }
  };
  const endInterrupted = async (): Promise<void> => {
    while (!signal.aborted) {
      await operations
        .endInterrupted(context)
        .catch((error: unknown) => report(error, 'an interrupted rebuild could not be ended'));
      await pause(interruptedCheckMs, signal);
    }
  };
  cleanup.add(() => Promise.resolve(stop.abort()));
  void renew();
  void inBackground(endInterrupted);
}
