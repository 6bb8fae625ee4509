import { o200k } from '../adapters/tokenizer/o200k.ts';
import type { CommandServices } from '../commands/context.ts';
import type { SummaryScope } from '../domain/summaries/summary-scope.ts';
import type { Ledger } from '../commands/ledger/ledger.ts';
import {
  summaryBatchMetrics,
  summaryGenerationMetrics,
  summaryRetrievalMetrics,
} from '../observability/summary-metrics.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { Embedders } from '../ports/embedder.ts';
import { unlessBehind, type ReadModels } from '../queries/read-models.ts';
import type { SummaryReaderParts } from '../queries/summaries/list-summaries.ts';
import { summarizedScopes } from '../queries/summaries/summarized-scopes.ts';
import { readScopeSources } from '../queries/summaries/scope-sources.ts';
import { summarySchedule, type ScheduleKey } from '../read-models/summary-schedule.ts';
import { WakeUp } from '../support/wake-up.ts';
import { summaryReactor } from '../reactors/summary-reactor.ts';
import { SummaryClaims, type ReadSchedule } from '../reactors/summary-claims.ts';
import { summaryInvalidations } from '../reactors/summary-invalidations.ts';
import { SummaryScheduler } from '../reactors/summary-scheduler.ts';
import { SummaryWriter } from '../reactors/summary-writer.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import { readModelWaitMs, startReactor, startProcessor } from './start-processor.ts';
import { openWritingModel } from './writing-model.ts';

interface SummaryServices {
  readonly services: CommandServices;
  readonly store: CommandSide['store'];
  readonly models: ReadModels;
  readonly embedders: Embedders;
  readonly ledger: Ledger;
}

/** Makes the summaries of layers: those that callers ask for, and those that are due. */
export function startSummaries(
  own: Process,
  { services, store, models, embedders, ledger }: SummaryServices,
): void {
  const { config, stores, logger, metrics } = own;
  const context = systemCommandContext('summaries');
  const start = (reactor: Reactor, onProgress?: () => void) =>
    startReactor(own, store, reactor, 'summaries could not be made and will be retried', onProgress);
  const generator = {
    services,
    tokenizer: o200k,
    read: (tenant: string, scope: SummaryScope, minPosition: number) =>
      readScopeSources({ models, embedders }, tenant, scope, { minPosition, waitMs: readModelWaitMs }),
    writer: summaryWriter(own, { ledger, spaces: services.spaces }),
    onGenerated: summaryGenerationMetrics(metrics.meter),
  };
  const readSchedule: ReadSchedule = (minPosition, body) =>
    unlessBehind(
      models.read({ projections: [summarySchedule.name], minPosition, waitMs: readModelWaitMs }, (view) =>
        body(view.table(summarySchedule.name)),
      ),
      undefined,
    );
  const claims = new SummaryClaims(stores.sql, store, readSchedule);
  const read = summarizedScopes(models);
  const summarized = (keys: readonly ScheduleKey[], minPosition: number) =>
    read(keys, { minPosition, waitMs: readModelWaitMs });
  const changed = new WakeUp();
  const { summaryWindowMs: windowMs } = config;
  start(summaryReactor(generator, context));
  start(summaryInvalidations({ services, summarized }, context), () => changed.wake());
  const onFailure = (error: unknown) =>
    logger.warn({ err: error }, 'the summaries of a scope could not be made and will be retried');
  startProcessor(own, new SummaryScheduler({ ...generator, claims, changed, windowMs, onFailure }, context));
}

/** Undefined if no language model may write summaries. */
function summaryWriter(
  own: Process,
  paying: { readonly ledger: Ledger; readonly spaces: CommandServices['spaces'] },
): SummaryWriter | undefined {
  const parts = own.config.abstractiveSummaries ? openWritingModel(own, paying, 'summaries') : undefined;
  return parts && new SummaryWriter({ ...parts, onCall: summaryBatchMetrics(own.metrics.meter) });
}

/** Counts the summaries that are read, and logs the use of stale ones. */
export function observeSummaryReads({ metrics, logger }: Process): SummaryReaderParts['onRead'] & {} {
  const record = summaryRetrievalMetrics(metrics.meter);
  return (summaries, durationMs) => {
    record(
      summaries.map(({ layer, depth, freshness }) => ({ layer, depth, isFresh: !freshness.stale })),
      durationMs,
    );
    const stale = summaries.filter(({ freshness }) => freshness.stale);
    if (stale.length === 0) return;
    const used = stale.map(({ layer, depth, freshness: { reason, ageSeconds } }) => ({
      layer,
      depth,
      reason,
      ageSeconds,
    }));
    logger.info({ stale: used }, 'stale summaries were read');
  };
}
