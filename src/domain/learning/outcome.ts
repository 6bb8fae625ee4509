import type { FeedbackKind } from '../retrieval/events.ts';
import type { Outcome } from './logged-decision.ts';

/** What one source says of a search. */
export const signalKinds = ['used', 'refined', 'ignored'] as const;
export type SignalKind = (typeof signalKinds)[number];

/**
 * `caller`: posted as an outcome. `feedback`: feedback on a memory of the answer. `context`: the program put memories into a context.
 * `refinement`: the same session asked something similar soon after. `session-end`, `window`: nothing was heard of until then.
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

/** Quality of memories that were put into a context: the program chose them, and nobody has said whether they helped. */
export const qualityInContext = 0.6;

/**
 * Quality of used results if the caller names none: 1, or as in a context where the caller had to ask again although it used
 * something.
 */
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

/**
 * Feedback that names a search, as a signal about its answer. Undefined for feedback about the memory itself, and for feedback that
 * withdraws an earlier one of its kind.
 */
export function signalOfFeedback(feedback: {
  readonly memoryId: string;
  readonly kind: FeedbackKind;
  readonly score: number;
}): OutcomeSignal | undefined {
  const { memoryId, kind, score } = feedback;
  const said = { source: 'feedback' as const, memoryIds: [memoryId] };
  if (kind === 'helpful')
    return score > 0 ? { ...said, kind: 'used', quality: score } : { ...said, kind: 'ignored' };
  if (kind === 'irrelevant' && score < 0) return { ...said, kind: 'ignored' };
  return undefined;
}

/**
 * The one outcome of a search, of its signals in the order in which they were recorded. The caller's latest word comes before
 * feedback, feedback before a refinement, a refinement before a context, and a context before the silence at the end of a session or
 * window. So a late signal changes the outcome if it says more than those before, and a repeated one changes nothing. Each memory
 * counts with its latest feedback, and the best of them decides.
 */
export function outcomeOf(signals: readonly OutcomeSignal[]): Outcome {
  const posted = signals.findLast(({ source }) => source === 'caller');
  if (posted) return explicit(posted);
  const judged = bestFeedback(signals);
  if (judged) return explicit(judged);
  if (signals.some(({ source }) => source === 'refinement')) return { kind: 'refined', explicit: false };
  if (signals.some(({ source }) => source === 'context'))
    return { kind: 'used', quality: qualityInContext, explicit: false };
  return { kind: signals.length > 0 ? 'ignored' : 'none', explicit: false };
}

function explicit({ kind, quality }: OutcomeSignal): Outcome {
  return { kind, ...(quality !== undefined && { quality }), explicit: true };
}

function bestFeedback(signals: readonly OutcomeSignal[]): OutcomeSignal | undefined {
  const latest = new Map<string, OutcomeSignal>();
  for (const signal of signals)
    if (signal.source === 'feedback') for (const id of signal.memoryIds) latest.set(id, signal);
  const rank = ({ kind, quality = 0 }: OutcomeSignal) => (kind === 'used' ? 1 + quality : 0);
  return [...latest.values()].reduce<OutcomeSignal | undefined>(
    (best, signal) => (best && rank(best) >= rank(signal) ? best : signal),
    undefined,
  );
}

/** What is known of a search when its session or window ends. */
export interface Closing {
  /** The memories that were put into a context for it. */
  readonly inContext: readonly string[];
  /** It belongs to a session, or its principal has posted an outcome before: silence says something. */
  readonly isObservable: boolean;
  readonly by: 'session-end' | 'window';
}

/**
 * The signal that closes a search: its context if it had one, else that it was ignored. Undefined if the signals so far say as much,
 * or if the silence of this caller says nothing.
 */
export function closingSignal(
  signals: readonly OutcomeSignal[],
  { inContext, isObservable, by }: Closing,
): OutcomeSignal | undefined {
  const isSilent = signals.every(({ source }) => source === 'session-end' || source === 'window');
  if (!isSilent) return undefined;
  if (inContext.length > 0)
    return { kind: 'used', source: 'context', memoryIds: [...inContext], quality: qualityInContext };
  if (signals.length > 0 || !isObservable) return undefined;
  return { kind: 'ignored', source: by, memoryIds: [] };
}

/** Feedback on at most this many memories counts for the outcome of one search. */
const mostFeedback = 200;

/** Feedback as a new signal of a search; undefined if its latest one on this memory says the same, or if there are too many. */
export function newFeedback(
  signals: readonly OutcomeSignal[],
  feedback: Parameters<typeof signalOfFeedback>[0],
): OutcomeSignal | undefined {
  const signal = signalOfFeedback(feedback);
  const earlier = signals.filter(({ source }) => source === 'feedback');
  const last = earlier.findLast(({ memoryIds }) => memoryIds.includes(feedback.memoryId));
  const isKnown = last?.kind === signal?.kind && last?.quality === signal?.quality;
  return isKnown || earlier.length >= mostFeedback ? undefined : signal;
}

/**
 * Signals without what a caller claimed to have used although it was not in the answer: an outcome that came before its search was
 * recorded could not be checked then. One that names nothing of the answer says nothing.
 */
export function checkedSignals<Signal extends OutcomeSignal>(
  signals: readonly Signal[],
  answered: ReadonlySet<string>,
): Signal[] {
  return signals.flatMap((signal) => {
    if (signal.source !== 'caller' || signal.kind !== 'used') return [signal];
    const memoryIds = signal.memoryIds.filter((id) => answered.has(id));
    return memoryIds.length === 0 ? [] : [{ ...signal, memoryIds }];
  });
}
