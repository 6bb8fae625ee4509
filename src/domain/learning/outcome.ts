import type { FeedbackKind } from '../retrieval/events.ts';
import type { Outcome } from './logged-decision.ts';

/** What one source says about a search. `withdrawn`: the feedback on these memories no longer says anything. */
export const signalKinds = ['used', 'refined', 'ignored', 'withdrawn'] as const;
export type SignalKind = (typeof signalKinds)[number];

/**
 * `caller`: posted as an outcome. `feedback`: feedback on a memory of the answer. `context`: the program put memories into a context.
 * `refinement`: the same session asked something similar soon after. `session-end`, `window`: there was no other signal by then.
 */
export const outcomeSources = [
  'caller',
  'feedback',
  'context',
  'refinement',
  'session-end',
  'window',
] as const;
export type OutcomeSource = (typeof outcomeSources)[number];

export interface OutcomeSignal {
  readonly kind: SignalKind;
  readonly source: OutcomeSource;
  readonly memoryIds: readonly string[];
  readonly quality?: number | undefined;
  readonly refined?: boolean | undefined;
}

/** Quality of memories that were put into a context: the program chose them, and nobody said whether they helped. */
const qualityInContext = 0.6;

/** Quality of used results if the caller gives none: 1, or as in a context if the caller had to ask again nevertheless. */
const qualityIfUsed = (refined: boolean): number => (refined ? qualityInContext : 1);

/** What a caller posts as the outcome of its search. */
export interface PostedOutcome {
  readonly used: readonly string[];
  readonly quality?: number | undefined;
  readonly refined?: boolean | undefined;
}

/** A posted outcome as a signal: used if any memory was, else refined if the caller asked again, else ignored. */
export function signalOfPosted({ used, quality, refined = false }: PostedOutcome): OutcomeSignal {
  const memoryIds = [...new Set(used)];
  const kind = memoryIds.length > 0 ? 'used' : refined ? 'refined' : 'ignored';
  return {
    kind,
    source: 'caller',
    memoryIds,
    ...(kind === 'used' && { quality: quality ?? qualityIfUsed(refined) }),
    ...(refined && { refined }),
  };
}

/** Feedback that names a search, as a signal about its answer. Undefined for feedback about the memory itself. */
export function signalOfFeedback(feedback: {
  readonly memoryId: string;
  readonly kind: FeedbackKind;
  readonly score: number;
}): OutcomeSignal | undefined {
  const { memoryId, kind, score } = feedback;
  const said = { source: 'feedback' as const, memoryIds: [memoryId] };
  if (kind === 'helpful')
    return score > 0 ? { ...said, kind: 'used', quality: score } : { ...said, kind: 'withdrawn' };
  if (kind === 'irrelevant') return { ...said, kind: score < 0 ? 'ignored' : 'withdrawn' };
  return undefined;
}

/**
 * The one outcome of a search, from its signals in the order in which they were recorded. The caller's latest post takes precedence over
 * feedback, feedback over a refinement, a refinement over a context, and a context over silence until the end of the session or window.
 * A late signal of higher precedence therefore changes the outcome, and a repeated one changes nothing. Of feedback, the latest on each
 * memory counts, unless it was withdrawn, and the best of these decides.
 */
export function outcomeOf(recorded: readonly OutcomeSignal[]): Outcome {
  const signal = decidingSignal(recorded);
  if (!signal) return { kind: 'none', explicit: false };
  const { source } = signal;
  switch (source) {
    case 'caller':
    case 'feedback':
      return explicit(signal);
    case 'refinement':
      return { kind: 'refined', explicit: false };
    case 'context':
      return { kind: 'used', quality: qualityInContext, explicit: false };
    case 'session-end':
    case 'window':
      return { kind: 'ignored', explicit: false };
    default:
      return source satisfies never;
  }
}

/** The signal that `outcomeOf` follows; undefined if nothing is known. */
export function decidingSignal(recorded: readonly OutcomeSignal[]): OutcomeSignal | undefined {
  const signals = standing(recorded);
  const firstOf = (source: OutcomeSource) => signals.find((signal) => signal.source === source);
  return (
    signals.findLast(({ source }) => source === 'caller') ??
    bestFeedback(signals) ??
    firstOf('refinement') ??
    firstOf('context') ??
    signals[0]
  );
}

function explicit({ kind, quality }: OutcomeSignal): Outcome {
  return {
    kind: kind === 'withdrawn' ? 'none' : kind,
    ...(quality !== undefined && { quality }),
    explicit: true,
  };
}

/** The signals without feedback that a later one on the same memory replaces or withdraws. Each feedback names one memory. */
function standing(signals: readonly OutcomeSignal[]): readonly OutcomeSignal[] {
  const latest = new Map<string | undefined, OutcomeSignal>();
  for (const signal of signals) if (signal.source === 'feedback') latest.set(signal.memoryIds[0], signal);
  return signals.filter(
    (signal) =>
      signal.source !== 'feedback' ||
      (signal.kind !== 'withdrawn' && latest.get(signal.memoryIds[0]) === signal),
  );
}

function bestFeedback(signals: readonly OutcomeSignal[]): OutcomeSignal | undefined {
  const rank = ({ kind, quality = 0 }: OutcomeSignal) => (kind === 'used' ? 1 + quality : 0);
  return signals
    .filter(({ source }) => source === 'feedback')
    .reduce<OutcomeSignal | undefined>(
      (best, signal) => (best && rank(best) >= rank(signal) ? best : signal),
      undefined,
    );
}

/** What is known about a search when its session or window ends. */
export interface Closing {
  /** The memories that were put into a context for it. */
  readonly inContext: readonly string[];
  /** It belongs to a session, or its principal has posted an outcome before, so silence means something. */
  readonly isObservable: boolean;
  readonly by: 'session-end' | 'window';
}

/**
 * The signal that closes a search: used in its context if it had one, else ignored. Undefined if earlier signals already say as much, or
 * if the silence of this caller means nothing.
 */
export function closingSignal(
  recorded: readonly OutcomeSignal[],
  { inContext, isObservable, by }: Closing,
): OutcomeSignal | undefined {
  const signals = standing(recorded);
  const isSilent = signals.every(({ source }) => source === 'session-end' || source === 'window');
  if (!isSilent) return undefined;
  if (inContext.length > 0)
    return { kind: 'used', source: 'context', memoryIds: [...inContext], quality: qualityInContext };
  if (signals.length > 0 || !isObservable) return undefined;
  return { kind: 'ignored', source: by, memoryIds: [] };
}

/** Maximum number of feedback signals for one search. */
const mostFeedback = 200;

/**
 * Feedback as a new signal of a search. Undefined if the latest one on this memory says the same, if there is none to withdraw, or if
 * there are too many.
 */
export function newFeedback(
  signals: readonly OutcomeSignal[],
  feedback: Parameters<typeof signalOfFeedback>[0],
): OutcomeSignal | undefined {
  const signal = signalOfFeedback(feedback);
  const earlier = signals.filter(({ source }) => source === 'feedback');
  const last = earlier.findLast(({ memoryIds }) => memoryIds.includes(feedback.memoryId));
  const isKnown = last?.kind === signal?.kind && last?.quality === signal?.quality;
  // The latest signal on a memory is `used` if that feedback was `helpful`, and `ignored` if it was `irrelevant`.
  const withdrawable = feedback.kind === 'helpful' ? 'used' : 'ignored';
  const withdrawsNothing = signal?.kind === 'withdrawn' && last?.kind !== withdrawable;
  return isKnown || withdrawsNothing || earlier.length >= mostFeedback ? undefined : signal;
}

/**
 * The signals without memories that were not in the answer. Outcomes and feedback that arrived before their search was recorded could
 * not be checked on arrival, and feedback may be about any memory. A signal that names no memory of the answer is dropped.
 */
export function checkedSignals<Signal extends OutcomeSignal>(
  signals: readonly Signal[],
  answered: ReadonlySet<string>,
): Signal[] {
  return signals.flatMap((signal) => {
    if (signal.memoryIds.length === 0 || (signal.source !== 'caller' && signal.source !== 'feedback'))
      return [signal];
    const memoryIds = signal.memoryIds.filter((id) => answered.has(id));
    return memoryIds.length === 0 ? [] : [{ ...signal, memoryIds }];
  });
}
