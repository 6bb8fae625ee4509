import type { CommandContext } from '../commands/context.ts';
import type { MadeCall, Reservation } from '../commands/ledger/ledger.ts';
import type { Fallback } from '../domain/grounding/fallback.ts';
import type { Layer } from '../domain/layers.ts';
import { batchesOf } from '../domain/summaries/abstract/batches.ts';
import { compose } from '../domain/summaries/abstract/compose.ts';
import {
  mostOutputTokens,
  mostTokens,
  shownOf,
  summaryAnswer,
  summaryInput,
  summaryInstructions,
  type Brief,
} from '../domain/summaries/abstract/prompt.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import type { Count, Extract, Source } from '../domain/summaries/extract.ts';
import type { ModelUsage } from '../ports/language-model.ts';
import { ask, modelOf, refusedBy, thoughtTokensWithin, type WriterParts } from './writing-model.ts';

export interface SummaryWriterParts extends WriterParts {
  /** Called after each call with the number of scopes that it was for, and of those whose answer is used. */
  readonly onCall?: (call: {
    readonly model: string;
    readonly scopes: number;
    readonly used: number;
  }) => void;
}

/** A scope whose summaries a language model is to write. */
export interface WritingJob {
  /** Names the causing event. */
  readonly context: CommandContext;
  /** Identifies the work: a repetition has the same id, and is not paid for again. */
  readonly id: string;
  readonly layer: Layer;
  readonly depths: readonly Depth[];
  readonly sources: readonly Source[];
  readonly model: string;
}

export type Writing =
  | {
      readonly extracts: readonly Extract[];
      readonly model: string;
      /** The memories that the model was shown, whether it cites them or not. */
      readonly shown: readonly string[];
    }
  | { readonly fallback: Fallback };

interface Planned extends WritingJob, Brief {
  readonly tokens: number;
}

/**
 * Has summaries written by a language model, several scopes in one call. A call is reserved in the ledger before it is made, for each
 * scope by its cause, so that a process which is killed in between does not pay for the same work again after its restart: what
 * was reserved is charged, and the summary is extractive.
 */
export class SummaryWriter {
  readonly #parts: SummaryWriterParts;

  constructor(parts: SummaryWriterParts) {
    this.#parts = parts;
  }

  /** The model of the space that all sources are of, or that of the layer; `configured` is the name in its settings. */
  async modelOf(
    tenant: string,
    layer: Layer,
    sources: readonly Source[],
    configured: string | undefined,
  ): Promise<string> {
    const labels = sources.map(({ spaces = [] }) => spaces);
    return modelOf(this.#parts, layer, (await this.#parts.modelOfSpaces(tenant, labels)) ?? configured);
  }

  /**
   * The writings of jobs of one tenant, in their order. Call `settle` once they are recorded, or could not be: it charges what the
   * calls have cost. Rejects with the reason of `signal` once it is aborted.
   */
  async write(
    jobs: readonly WritingJob[],
    count: Count,
    signal: AbortSignal,
  ): Promise<{ readonly writings: readonly Writing[]; readonly settle: () => Promise<void> }> {
    const planned = jobs.map((job): Planned => ({ ...job, ...shownOf(job.sources, count) }));
    const writings = new Map<string, Writing>();
    const made: MadeCall[] = [];
    const context = jobs[0]?.context;
    const settle = async () => {
      if (context) await this.#parts.ledger.settle(context, made);
    };
    try {
      for (const batch of batchesOf(planned))
        for (const [job, writing] of await this.#writeBatch(batch, count, signal, made))
          writings.set(job.id, writing);
    } catch (error) {
      await settle();
      throw error;
    }
    return { writings: jobs.map(({ id }) => writings.get(id)!), settle };
  }

  async #writeBatch(
    batch: readonly Planned[],
    count: Count,
    signal: AbortSignal,
    made: MadeCall[],
  ): Promise<(readonly [Planned, Writing])[]> {
    const { ledger } = this.#parts;
    const [first] = batch;
    // The model thinks once for all scopes: each has its share reserved.
    const shareOf = (thoughts: number) => Math.ceil(thoughts / batch.length);
    const callsWith = (thoughts: number) =>
      batch.map(({ id, model, depths, tokens }) => ({
        id,
        purpose: 'summary' as const,
        model,
        ...mostTokens(depths, tokens, shareOf(thoughts)),
      }));
    const { context } = first!;
    const thoughtTokens = await thoughtTokensWithin(this.#parts, context.caller.tenant, callsWith);
    const reservations = await ledger.reserve(context, callsWith(thoughtTokens));
    const called = batch.filter((_, index) => reservations[index]!.outcome === 'reserved');
    const answered =
      called.length === 0
        ? []
        : await this.#call(called, count, signal, made, {
            day: reservations[0]!.day,
            thoughtTokens: called.length * shareOf(thoughtTokens),
          });
    return batch.map((job, index) => {
      const fallback = refusedBy(reservations[index]!.outcome);
      return [job, fallback ? { fallback } : answered[called.indexOf(job)]!];
    });
  }

  /** The writings of one call, and what it has cost as calls in `made`. */
  async #call(
    jobs: readonly Planned[],
    count: Count,
    signal: AbortSignal,
    made: MadeCall[],
    { day, thoughtTokens }: Pick<Reservation, 'day'> & { readonly thoughtTokens: number },
  ): Promise<readonly Writing[]> {
    const { context, model } = jobs[0]!;
    let usage: ModelUsage | undefined;
    let writings: readonly Writing[];
    try {
      const answer = await ask(this.#parts, context.caller.tenant, {
        role: 'root',
        model,
        purpose: 'summary',
        instructions: summaryInstructions,
        input: summaryInput(jobs),
        schema: summaryAnswer,
        maxOutputTokens: jobs.reduce((sum, { depths }) => sum + mostOutputTokens(depths), 0),
        thoughtTokens,
        signal,
      });
      ({ usage } = answer);
      writings = answer.value
        ? compose(jobs, answer.value, count).map((extracts, index) => {
            if (extracts === 'unsupported') return { fallback: 'claims-unsupported' };
            if (extracts === 'incomplete') return { fallback: 'model-failed' };
            return { extracts, model, shown: jobs[index]!.shown.map(({ id }) => id) };
          })
        : jobs.map(() => ({ fallback: 'model-failed' }));
    } finally {
      made.push(...shares(jobs, usage, day));
    }
    signal.throwIfAborted();
    this.#parts.onCall?.({
      model,
      scopes: jobs.length,
      used: writings.filter((writing) => 'extracts' in writing).length,
    });
    return writings;
  }
}

/** The cost of a call divided among its scopes by what they were shown. A call without usage cost nothing. */
function shares(jobs: readonly Planned[], usage: ModelUsage | undefined, day: string): MadeCall[] {
  const all = jobs.reduce((sum, { tokens }) => sum + tokens, 0);
  const left = { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 };
  return jobs.map(({ id, model, tokens }, index) => {
    const isLast = index === jobs.length - 1;
    const part = (total = 0) => Math.floor((total * tokens) / Math.max(1, all));
    const inputTokens = isLast ? left.input : part(usage?.inputTokens);
    const outputTokens = isLast ? left.output : part(usage?.outputTokens);
    left.input -= inputTokens;
    left.output -= outputTokens;
    const requests = index === 0 ? (usage?.requests ?? 0) : 0;
    return { id, purpose: 'summary', model, inputTokens, outputTokens, requests, day };
  });
}
