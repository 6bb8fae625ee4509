import { o200k } from '../adapters/tokenizer/o200k.ts';
import { eventContext, type CommandServices } from '../commands/context.ts';
import type { SummaryScope } from '../domain/summaries/summary-scope.ts';
import { observeProcessor } from '../observability/telemetry.ts';
import { ManagedProcessor } from '../processors/managed-processor.ts';
import type { EventProcessor } from '../processors/processor.ts';
import { ProcessorRunner } from '../processors/processor-runner.ts';
import type { ProjectionOperations } from '../projections/operations.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { readScopeSources } from '../queries/summaries/scope-sources.ts';
import { pause } from '../support/pause.ts';
import { summaryManager } from '../worker/summary-manager.ts';
import { underLease } from '../worker/under-lease.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';

/** A read model that is further behind is being rebuilt, or its source is down: the summary is retried. */
const readModelPatienceMs = 30_000;
const interruptedCheckMs = 15_000;
const firstRenewalPauseMs = 15_000;
const longestRenewalPauseMs = 600_000;

/** The role `worker`: runs process managers, and renews read models that an earlier version of the program built. */
export function startWorker(own: Process, { commands, store }: CommandSide, readSide: ReadSide): void {
  const { erasures, operations, models } = readSide;
  startProcessor(own, erasures);
  startProcessor(own, summaryProcessor(own, commands, store, models));
  startRenewal(own, operations);
}

/** Makes the summaries of layers. */
function summaryProcessor(
  { stores, logger }: Process,
  services: CommandServices,
  store: CommandSide['store'],
  models: ReadModels,
): EventProcessor {
  const parts = {
    services,
    tokenizer: o200k,
    read: (tenant: string, scope: SummaryScope, minPosition: number) =>
      readScopeSources(models, tenant, scope, { minPosition, waitMs: readModelPatienceMs }),
  };
  return new ManagedProcessor(summaryManager(parts, systemCommandContext('summaries')), {
    sql: stores.sql,
    store,
    onParked: (error) => logger.warn({ err: error }, 'summaries could not be made and will be retried'),
  });
}

function startProcessor(
  { logger, leases, metrics, stores, cleanup }: Process,
  processor: EventProcessor,
): void {
  const runner = new ProcessorRunner(processor, {
    leases,
    onError: (error) =>
      logger.warn({ processor: processor.name, err: error }, 'an event processor failed and will retry'),
  });
  runner.start();
  cleanup.add(() => runner.stop());
  observeProcessor(metrics.meter, stores.log, runner);
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
  void endInterrupted();
}
