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

/** The four signals of a question, by decision D2's weights: they add up to one. */
export const signalWeights = {
  /** It names places in the organisation: several kinds, or several of one kind. */
  layers: 0.3,
  /** It asks for all of something, for a list, or for how something came to be. */
  aggregation: 0.25,
  /** It sets things side by side. */
  comparison: 0.25,
  /** How long it is and what it is made of. */
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
  /** The kinds of place of which the question means several. */
  readonly spread: readonly PlaceKind[];
}

/**
 * How much a text that asks for nothing counts of its words for many things: a sentence that someone looks up by its
 * likeness ("Many projects have switched") uses them to tell, not to ask.
 */
const telling = 0.3;
/** Up to this many words a text without a request is a caller's shorthand, not a sentence. */
const shorthandWords = 8;
const longWords = 20;

/** A question is looked at up to here: what follows is pasted text. */
const lookedAt = 2_000;

/**
 * How complex a question is (decision D2), from its words and their form alone: no model, no data, the same for every
 * caller. The score is the weighted sum of the signals, clamped; each signal may be read back.
 */
export function complexityOf(question: string): Complexity {
  const whole = fold(question.slice(0, lookedAt)).trim();
  const names = whole.match(quoted)?.length ?? 0;
  const text = whole.replaceAll(quoted, ' * ').replaceAll(/\s+/g, ' ');
  const words = text.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const asks =
    text.includes('?') || imperatives.test(text) || (words <= longWords && interrogatives.test(text));
  const force = asks || (words <= shorthandWords && !text.endsWith('.')) ? 1 : telling;
  const kinds = Object.keys(placeKinds) as PlaceKind[];
  const spread = kinds.filter((kind) => placeKinds[kind].several.test(text));
  const named = kinds.filter((kind) => placeKinds[kind].one.test(text) || spread.includes(kind));
  const signals: Signals = {
    layers: force * (spread.length > 0 || named.length > 1 ? 1 : named.length / 4),
    aggregation: force * (wholes.test(text) || histories.test(text) || asksForSeveral(text, words) ? 1 : 0),
    comparison: force * (comparisons.test(text) ? 1 : 0),
    structure: structureOf(text, words, names),
  };
  return { score: scoreOf(signals), signals, spread };
}

/** As a question, or in the shorthand of a search box: then what narrows the several things is said too. */
function asksForSeveral(text: string, words: number): boolean {
  const isNarrowed = text.search(conditions) >= 0 || text.search(references) >= 0;
  return severalAsked.test(text) || (words <= shorthandWords && isNarrowed && severalHeaded.test(text));
}

/** The weighted sum of the signals, between 0 and 1. */
export function scoreOf(signals: Signals): number {
  const sum = signalNames.reduce((total, name) => total + signalWeights[name] * signals[name], 0);
  // Without the noise of binary fractions: a threshold of .3 is met by .3.
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
