import { fold } from '../text/tokens.ts';
import {
  comparisons,
  conditions,
  coordinations,
  histories,
  imperatives,
  interrogatives,
  listRequests,
  placeKinds,
  quoted,
  references,
  severalAsked,
  severalHeaded,
  wholes,
  type PlaceKind,
} from './wording.ts';

/** Weights of the four signals of a question (decision D2); they add up to 1. */
export const signalWeights = {
  /** It names places in the organisation: several kinds, or several of one kind. */
  layers: 0.3,
  /** It asks for all of something, for a list, or for how something came to be. */
  aggregation: 0.25,
  /** It compares things. */
  comparison: 0.25,
  /** Its length and its parts: requests, conditions, names, conjunctions. */
  structure: 0.2,
} as const;

export type SignalName = keyof typeof signalWeights;

export const signalNames = Object.keys(signalWeights) as SignalName[];

/** Each between 0 and 1. */
export type Signals = Readonly<Record<SignalName, number>>;

export interface Complexity {
  /** Between 0 and 1. */
  readonly score: number;
  readonly signals: Signals;
  /** Kinds of place of which the question means several. */
  readonly spread: readonly PlaceKind[];
}

/**
 * Factor for the signals of a text that asks for nothing: a sentence that someone enters to find similar ones ("Many projects
 * have switched") uses such words to state something, not to ask.
 */
const statementFactor = 0.3;
/** A text without a request is shorthand, not a sentence, if it has at most this many words. */
const shorthandWords = 8;
const longWords = 20;

/** Only this many UTF-16 units of a question are examined: what follows is pasted text. */
const examinedLength = 2_000;

/**
 * How complex a question is (decision D2). Uses only its wording, no model and no data, so the result is the same for every
 * caller. The score is the weighted sum of the signals, clamped to 0..1; the signals are returned with it.
 */
export function complexityOf(question: string): Complexity {
  const whole = fold(question.slice(0, examinedLength)).trim();
  const names = whole.match(quoted)?.length ?? 0;
  const text = whole.replaceAll(quoted, ' * ').replaceAll(/\s+/g, ' ');
  const words = text.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const asks =
    text.includes('?') || imperatives.test(text) || (words <= longWords && interrogatives.test(text));
  const factor = asks || (words <= shorthandWords && !text.endsWith('.')) ? 1 : statementFactor;
  const kinds = Object.keys(placeKinds) as PlaceKind[];
  const spread = kinds.filter((kind) => placeKinds[kind].several.test(text));
  const named = kinds.filter((kind) => placeKinds[kind].one.test(text) || spread.includes(kind));
  const signals: Signals = {
    layers: factor * (spread.length > 0 || named.length > 1 ? 1 : named.length / 4),
    aggregation: factor * (wholes.test(text) || histories.test(text) || asksForSeveral(text, words) ? 1 : 0),
    comparison: factor * (comparisons.test(text) ? 1 : 0),
    structure: structureOf(text, words, names),
  };
  return { score: scoreOf(signals), signals, spread };
}

/** Whether a question asks for several things. Shorthand counts only if it also has words that narrow its subject. */
function asksForSeveral(text: string, words: number): boolean {
  const isNarrowed = text.search(conditions) >= 0 || text.search(references) >= 0;
  return severalAsked.test(text) || (words <= shorthandWords && isNarrowed && severalHeaded.test(text));
}

/** The weighted sum of the signals, between 0 and 1. */
export function scoreOf(signals: Signals): number {
  const sum = signalNames.reduce((total, name) => total + signalWeights[name] * signals[name], 0);
  // Rounded so that .3 reaches a threshold of .3 despite the errors of binary fractions.
  return Math.min(1, Math.max(0, Math.round(sum * 1e6) / 1e6));
}

function structureOf(text: string, words: number, names: number): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const parts = [
    0.4 * Math.min(1, words / longWords),
    listRequests.test(text) ? 0.3 : 0,
    0.3 * Math.min(2, count(conditions) + count(references) + names),
    0.2 * Math.min(2, count(coordinations)),
  ];
  const sum = parts.reduce((total, part) => total + part, 0);
  return Math.min(1, Math.round(sum * 1e3) / 1e3);
}
