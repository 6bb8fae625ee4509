import type { Meter } from '@opentelemetry/api';
import type { Layer } from '../domain/layers.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import type { SummaryTrigger } from '../domain/summaries/events.ts';

/** Bucket boundaries in milliseconds. */
const generationBuckets = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000];
const retrievalBuckets = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** Time and number of generations. All depths of a scope are made together, so each is counted with the time of all. */
export function summaryGenerationMetrics(meter: Meter) {
  const duration = meter.createHistogram('memory.summary.generation_duration_ms', {
    description: 'How long it took to make the summaries of a scope, by layer and depth',
    advice: { explicitBucketBoundaries: generationBuckets },
  });
  const generations = meter.createCounter('memory.summary.generations', {
    description: 'Summaries that were made, by layer, depth and what caused them',
  });
  return (layer: Layer, depths: readonly Depth[], trigger: SummaryTrigger, durationMs: number): void => {
    for (const depth of depths) {
      duration.record(durationMs, { layer, depth });
      generations.add(1, { layer, depth, trigger });
    }
  };
}

/** Time and number of summaries that were read; `cache_hit` says whether there was one that is not stale. */
export function summaryRetrievalMetrics(meter: Meter) {
  const latency = meter.createHistogram('memory.summary.retrieval_latency_ms', {
    description: 'How long it took to read summaries with their freshness',
    advice: { explicitBucketBoundaries: retrievalBuckets },
  });
  const retrievals = meter.createCounter('memory.summary.retrievals', {
    description: 'Summaries that were read, by layer, depth and whether they were fresh',
  });
  return (
    read: readonly { readonly layer: Layer; readonly depth: Depth; readonly isFresh: boolean }[],
    durationMs: number,
  ): void => {
    latency.record(durationMs);
    for (const { layer, depth, isFresh } of read) retrievals.add(1, { layer, depth, cache_hit: isFresh });
  };
}

/** Calls of a language model that write summaries, each for several scopes where it can. */
export function summaryBatchMetrics(meter: Meter) {
  const efficiency = meter.createHistogram('memory.summary.batch_efficiency', {
    description: 'How many scopes one call of a language model wrote summaries for',
    advice: { explicitBucketBoundaries: [1, 2, 3, 4, 5, 6, 7, 8] },
  });
  const scopes = meter.createCounter('memory.summary.batched_scopes', {
    description: 'Scopes that a language model was asked to sum up, by whether its text is used',
  });
  return ({
    model,
    scopes: count,
    used,
  }: {
    readonly model: string;
    readonly scopes: number;
    readonly used: number;
  }): void => {
    efficiency.record(count, { model });
    scopes.add(used, { model, used: true });
    scopes.add(count - used, { model, used: false });
  };
}
