import type { Meter } from '@opentelemetry/api';
import type { ProjectionOperations } from '../projections/operations.ts';
import { parkedInLive } from '../projections/status.ts';
import type { ReasoningTrace } from '../domain/reasoning/trace.ts';
import type { OnEmbeddingRun } from '../ports/embedder.ts';
import type { ModelCall } from '../queries/observed-language-model.ts';
import type { ModelGuard } from '../queries/model-guard.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { ProcessorRunner } from '../follow/processor-runner.ts';
import type { Relay } from '../relay/relay.ts';

// Metrics, read when they are scraped.

/** Lag and parked streams of the read models, and parked streams of the reactors. */
export function observeProjections(meter: Meter, operations: ProjectionOperations): void {
  const lag = meter.createObservableGauge('stratalog.projection.lag', {
    description: 'How far the live generation of a read model is behind the head of the log, in positions',
  });
  const parked = meter.createObservableGauge('stratalog.projection.parked', {
    description: 'Number of streams whose events the live generation of a read model cannot apply',
  });
  const parkedReactions = meter.createObservableGauge('stratalog.processor.parked', {
    description: 'Number of streams whose events a reactor cannot handle, in all processes',
  });
  meter.addBatchObservableCallback(
    async (result) => {
      for (const { name, parked: streams } of await operations.reactors())
        result.observe(parkedReactions, streams.length, { processor: name });
      for (const state of await operations.status()) {
        const { name } = state;
        const live = state.generations.find(({ active }) => active);
        if (live) result.observe(lag, live.lag, { projection: name });
        result.observe(parked, parkedInLive(state).length, { projection: name });
      }
    },
    [lag, parked, parkedReactions],
  );
}

/** Lag of a reactor, in the process that runs it. */
export function observeProcessor(meter: Meter, log: EventLog, runner: ProcessorRunner): void {
  meter
    .createObservableGauge('stratalog.processor.lag', {
      description: 'How far an event processor of this process is behind the head of the log, in positions',
    })
    .addCallback(async (result) => {
      const { name, state, position } = runner.status;
      if (state !== 'active' || position === undefined) return;
      result.observe(Math.max(0, (await log.head()) - position), { processor: name });
    });
}

/** Requests that wait, are worked on, or were refused because of the load or of their caller's limits. */
export function observeAdmission(
  meter: Meter,
  admission: {
    readonly limited: number;
    readonly turns: { readonly waiting: number; readonly working: number; readonly refused: number };
  },
): void {
  const { turns } = admission;
  meter
    .createObservableGauge('stratalog.requests.waiting', {
      description: 'Number of requests that wait for their turn',
    })
    .addCallback((result) => result.observe(turns.waiting));
  meter
    .createObservableGauge('stratalog.requests.working', {
      description: 'Number of costly requests that are worked on',
    })
    .addCallback((result) => result.observe(turns.working));
  meter
    .createObservableCounter('stratalog.requests.refused', {
      description: 'Number of requests that were refused because too many were waiting',
    })
    .addCallback((result) => result.observe(turns.refused));
  meter
    .createObservableCounter('stratalog.requests.limited', {
      description: 'Number of requests that were refused because their caller had reached its limits',
    })
    .addCallback((result) => result.observe(admission.limited));
}

/** What budgets and quotas refused in this process. */
export function observeAllowances(
  meter: Meter,
  {
    budgets,
    quotas,
  }: { readonly budgets: { readonly refused: number }; readonly quotas: { readonly refused: number } },
): void {
  meter
    .createObservableCounter('stratalog.budgets.refused', {
      description: 'Number of calls of models that were not made because a budget was used up',
    })
    .addCallback((result) => result.observe(budgets.refused));
  meter
    .createObservableCounter('stratalog.quotas.refused', {
      description: 'Number of changes of memories that were refused because a space was full',
    })
    .addCallback((result) => result.observe(quotas.refused));
}

/** Signed heads of the log. */
export function observeCheckpoints(meter: Meter, overdueMs: () => Promise<number>): void {
  meter
    .createObservableGauge('stratalog.checkpoint.overdue', {
      description:
        'How long ago the next head of the log should have been signed, in seconds; 0 if it is not due',
      unit: 's',
    })
    .addCallback(async (result) => result.observe((await overdueMs()) / 1_000));
}

/** Facts of answered searches that are not in the log yet. */
export function observeFacts(
  meter: Meter,
  facts: { readonly waiting: number; readonly dropped: number },
): void {
  meter
    .createObservableGauge('stratalog.retrieval.facts.waiting', {
      description: 'Number of searches and accesses that are not yet in the log',
    })
    .addCallback((result) => result.observe(facts.waiting));
  meter
    .createObservableCounter('stratalog.retrieval.facts.dropped', {
      description: 'Number of searches and accesses that could not be written to the log',
    })
    .addCallback((result) => result.observe(facts.dropped));
}

/** Room on the disk of the embedded database, which takes no writes if there is too little. */
export function observeDisk(meter: Meter, freeBytes: () => Promise<number>): void {
  meter
    .createObservableGauge('stratalog.disk.free', {
      description: 'Free space on the disk of the data folder, in bytes; below 64 MB nothing is written',
      unit: 'By',
    })
    .addCallback(async (result) => result.observe(await freeBytes()));
}

/** Size of the indexes in memory. */
export function observeInMemory(
  meter: Meter,
  what: 'vectors' | 'words',
  kept: { size: number; bytes: number },
): void {
  meter
    .createObservableGauge(`stratalog.${what}.in_memory`, {
      description: `Number of memories whose ${what} are cached in RAM for searches`,
    })
    .addCallback((result) => result.observe(kept.size));
  meter
    .createObservableGauge(`stratalog.${what}.in_memory.size`, {
      description: `RAM used by the cached ${what}, in bytes`,
      unit: 'By',
    })
    .addCallback((result) => result.observe(kept.bytes));
}

/** Long texts that cannot be embedded completely. */
export function observePassages(meter: Meter, backlog: { readonly failing: number }): void {
  meter
    .createObservableGauge('stratalog.passages.failing', {
      description: 'Number of long memories with a passage that could not be embedded and will be retried',
    })
    .addCallback((result) => result.observe(backlog.failing));
}

/** Lag and throughput of the relay. */
export function observeRelay(meter: Meter, relay: Relay): void {
  const active = meter.createObservableGauge('stratalog.relay.active', {
    description: '1 if this process is the active relay, 0 if it is on standby or failing',
  });
  const seconds = meter.createObservableGauge('stratalog.relay.lag', {
    description: 'Age of the oldest event that is not confirmed by Kafka, in seconds',
    unit: 's',
  });
  const positions = meter.createObservableGauge('stratalog.relay.lag.positions', {
    description: 'How far the topics are behind the head of the log, in positions',
  });
  const published = meter.createObservableCounter('stratalog.relay.published', {
    description: 'Number of events that this process published, including repetitions',
  });
  const withheld = meter.createObservableCounter('stratalog.relay.withheld', {
    description: 'Number of events that this process published without data because they were too large',
  });
  meter.addBatchObservableCallback(
    async (result) => {
      const status = await relay.status();
      result.observe(active, status.state === 'active' ? 1 : 0);
      result.observe(seconds, status.secondsBehind);
      result.observe(positions, status.positionsBehind);
      result.observe(published, status.publishedEvents);
      result.observe(withheld, status.withheldEvents);
    },
    [active, seconds, positions, published, withheld],
  );
}

/** Texts, tokens and time of embedding, by model. */
export function embeddingMetrics(meter: Meter): OnEmbeddingRun {
  const texts = meter.createCounter('stratalog.embedding.texts', {
    description: 'Number of texts sent to an embedding model, by purpose and outcome',
  });
  const tokens = meter.createCounter('stratalog.embedding.tokens', {
    description: 'Number of tokens read by an embedding model, estimated if an endpoint does not report them',
  });
  const duration = meter.createHistogram('stratalog.embedding.duration', {
    description:
      'Duration of an embedding run: one text on a thread, or one request to an endpoint including its retries',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  return ({ model, purpose, outcome, ...run }) => {
    const labels = { model, purpose };
    texts.add(run.texts - run.refused, { ...labels, outcome });
    if (run.refused > 0) texts.add(run.refused, { ...labels, outcome: 'refused' });
    tokens.add(run.tokens, labels);
    duration.record(run.durationMs / 1_000, { ...labels, outcome });
  };
}

/** Calls of language models with their outcome, requests, tokens and time. The returned function counts one call. */
export function languageModelMetrics(meter: Meter): (call: ModelCall) => void {
  const calls = meter.createCounter('stratalog.language_model.call', {
    description: 'Number of calls of a language model, by purpose and outcome',
  });
  const requests = meter.createCounter('stratalog.language_model.request', {
    description: 'Number of requests to a language model, including retries',
  });
  const tokens = meter.createCounter('stratalog.language_model.tokens', {
    description: 'Number of tokens used by a language model, estimated if the endpoint does not report them',
  });
  const duration = meter.createHistogram('stratalog.language_model.duration', {
    description: 'Duration of a call of a language model, including its retries',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30] },
  });
  return ({ purpose, outcome, usage, durationMs }) => {
    const labels = { model: usage.model, purpose };
    calls.add(1, { ...labels, outcome });
    requests.add(usage.requests, labels);
    tokens.add(usage.inputTokens, { ...labels, direction: 'input' });
    tokens.add(usage.outputTokens, { ...labels, direction: 'output' });
    duration.record(durationMs / 1_000, { ...labels, outcome });
  };
}

/** Open circuit breakers of language models; `work` is what they are called for. */
export function observeModelGuard(meter: Meter, work: string, guard: ModelGuard): void {
  meter
    .createObservableGauge('stratalog.language_model.breakers.open', {
      description:
        'Number of pairs of tenant and language model whose calls are suspended because too many have failed, by what they are called for',
    })
    .addCallback((result) => result.observe(guard.open, { work }));
}

/** Bucket boundaries in seconds; the alert rules use 2. */
const reasoningBuckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 5, 10];

/** Time and outcome of deciding what a complex question is searched for. The returned function counts one decision. */
export function reasoningMetrics(meter: Meter): (trace: ReasoningTrace) => void {
  const duration = meter.createHistogram('stratalog.reasoning.duration', {
    description: 'Time to decide what to search for in a complex question, by source and outcome',
    unit: 's',
    advice: { explicitBucketBoundaries: reasoningBuckets },
  });
  const degraded = meter.createCounter('stratalog.reasoning.degraded', {
    description:
      'Number of questions that were searched without the proposal of the language model, by cause',
  });
  // Start at zero, so that the first increment already shows as a rate.
  for (const cause of ['timed-out', 'failed', 'breaker-open'] as const) degraded.add(0, { cause });
  return ({ source, outcome, durationMs }) => {
    // An open breaker calls no model: its short time would distort the durations of real calls.
    if (outcome !== 'breaker-open') duration.record(durationMs / 1_000, { source, outcome });
    if (outcome !== 'complete') degraded.add(1, { cause: outcome });
  };
}
