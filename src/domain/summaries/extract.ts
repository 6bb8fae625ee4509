import { isTiedToDays } from '../context/stable.ts';
import { factsAboutUser } from '../profile/facts-about-user.ts';
import { isPassing, isTemporary } from '../profile/passing-cues.ts';
import { UserNames } from '../profile/user-names.ts';
import { languageOf } from '../text/language-share.ts';
import { sentencesOf, type Span } from '../text/sentences.ts';
import { termCounts } from '../text/tokens.ts';
import { tokensOfDepth, type Depth } from './depths.ts';
import { mainLanguageOf, sentencesToQuote, type Sentence } from './quotable.ts';
import { cosine, normalized, termVectors, weightedSum, type TermVector } from './term-vector.ts';

/** A memory that may be quoted. */
export interface Source {
  readonly id: string;
  readonly revision: number;
  readonly content: string;
  /** When what it says was true, else when it was stored. */
  readonly time: Date;
  /** 0..1. */
  readonly importance: number;
  /** Its spaces, if they are known. */
  readonly spaces?: readonly string[];
}

/** Counts tokens. Infinite for a text that takes too long. */
export type Count = (text: string) => number;

/** A summary: parts of memories, verbatim, each followed by a mark `[n]` that names its source, counted from 1. */
export interface Extract {
  readonly depth: Depth;
  readonly content: string;
  readonly tokenCount: number;
  readonly sources: readonly { readonly id: string; readonly revision: number }[];
}

/** A quotation that may be chosen: consecutive sentences of one memory. */
interface Unit {
  /** Place in the order of time. */
  readonly place: number;
  readonly source: number;
  readonly text: string;
  readonly vector: TermVector;
  /** How much more or less it is worth than others that are as near to the centre. */
  readonly gain: number;
  /** Tokens of the text and its mark. */
  readonly tokens: number;
}

/** A part of a memory. */
interface Part extends Span {
  readonly tokens: number;
}

/** Tokens of a mark ` [99]`. */
const tokensOfMark = 4;
/** Maximum tokens of a unit. A memory of one line with no more than this is quoted whole or not at all: half a thought is of little use. */
const mostTokensOfUnit = tokensOfDepth.sentence - tokensOfMark;
/** Greatest cosine of two units that are quoted together: `last` once no other units fit, `first` before. */
const mostAlike = { first: 0.5, last: 0.85 };
/** How much the importance of its memory changes the gain of a unit. */
const weightOfImportance = 0.5;
/** The first unit of a memory gains this much more, and a note about what passes this much. */
const gainOfLead = 1.2;
const gainOfPassing = 0.6;
/** In the summary of a user, what is lastingly true of that user gains this much more. */
const gainOfUser = 1.5;
/** A unit with fewer different words means little without its surroundings. */
const leastTerms = 3;

/**
 * Summaries made of parts of the memories, best first by greedy centroid: each step adds the part with which the whole summary is nearest
 * to the weighted centre of all memories, unless it repeats what is there (Ghalandari 2017, "Revisiting the Centroid-based Method"). A
 * long memory weighs as much as a short one. The summary reads in the order of time. Deterministic, whatever the order of the sources.
 * A summary has no more tokens than its depth. Sources without words give no summary.
 *
 * `user`: whose summary it is, if it is that of a user: facts about this user come before other notes.
 *
 * Quoted are whole sentences in the language of most of the text; those in other languages only if there are none, and headings, pieces
 * of lists, questions and references only if there is nothing else.
 */
export function extract(
  sources: readonly Source[],
  depths: readonly Depth[],
  count: Count,
  user?: string,
): Extract[] {
  const ordered = [...sources].sort(
    (left, right) => left.time.getTime() - right.time.getTime() || (left.id < right.id ? -1 : 1),
  );
  const names =
    user === undefined
      ? undefined
      : new UserNames(
          user,
          ordered.map(({ content }) => content),
        );
  const units = unitsOf(ordered, count, names);
  if (units.length === 0) return [];
  const centre = centreOf(ordered, units);
  return depths.map((depth) => {
    const budget = tokensOfDepth[depth];
    const chosen = choose(ordered, units, centre, budget);
    return (
      written(depth, ordered, chosen, count, budget) ?? cutToFit(depth, ordered, units, centre, count, budget)
    );
  });
}

/** The best units that there are: whole sentences in the main language, else in any language, else any parts. */
function unitsOf(sources: readonly Source[], count: Count, names: UserNames | undefined): readonly Unit[] {
  const whole = unitsFrom(sources, names, ({ content }) => wholeParts(content, count));
  const main = mainLanguageOf(sources.map(({ content }) => content));
  const inMain = whole.filter(({ text, source }) => {
    const language = languageOf(text) ?? languageOf(sources[source]!.content);
    return language === undefined || language === main;
  });
  if (inMain.length > 0) return inMain;
  return whole.length > 0 ? whole : unitsFrom(sources, names, ({ content }) => anyParts(content, count));
}

function unitsFrom(
  sources: readonly Source[],
  names: UserNames | undefined,
  partsOf: (source: Source) => readonly Part[],
): Unit[] {
  const parts = new Map<string, Pick<Unit, 'source' | 'text' | 'tokens' | 'gain'>>();
  for (const [source, memory] of sources.entries())
    for (const [at, { start, end, tokens }] of partsOf(memory).entries()) {
      const text = memory.content.slice(start, end);
      if (!parts.has(text))
        parts.set(text, {
          source,
          text,
          tokens: tokens + tokensOfMark,
          gain: gainOf(text, memory, names, at === 0),
        });
    }
  const distinct = [...parts.values()];
  const vectors = termVectors(distinct.map(({ text }) => termCounts(text).counts));
  const all = distinct.map((part, place): Unit => ({ ...part, place, vector: vectors[place]! }));
  const telling = all.filter(({ vector }) => vector.size >= leastTerms);
  return telling.length > 0 ? telling : all.filter(({ vector }) => vector.size > 0);
}

/**
 * Parts of a memory that can be read by themselves: a short memory of one line, or whole sentences, joined where they follow each other
 * and fit into one unit.
 */
function wholeParts(content: string, count: Count): readonly Part[] {
  const sentences = sentencesToQuote(content).map((sentence) => ({
    ...sentence,
    tokens: count(content.slice(sentence.start, sentence.end)),
  }));
  const [first, last] = [sentences[0], sentences.at(-1)];
  if (!first || !last) return [];
  const tokens = sentences.reduce((sum, sentence) => sum + sentence.tokens, 0);
  if (tokens <= mostTokensOfUnit && sentences.slice(1).every(({ continues }) => continues))
    return sentences.every(({ isWhole }) => isWhole) && !first.leans
      ? [{ start: first.start, end: last.end, tokens }]
      : [];
  return merged(sentences);
}

/** Joins whole sentences that follow each other. One that needs the sentence before it is never the first of a part. */
function merged(sentences: readonly (Sentence & Part)[]): readonly Part[] {
  const parts: { start: number; end: number; tokens: number }[] = [];
  let open: (typeof parts)[number] | undefined;
  for (const { start, end, tokens, isWhole, leans, continues } of sentences) {
    if (!isWhole || !continues) open = undefined;
    if (!isWhole) continue;
    if (open && open.tokens + tokens <= mostTokensOfUnit) {
      open.end = end;
      open.tokens += tokens;
    } else if (leans) open = undefined;
    else parts.push((open = { start, end, tokens }));
  }
  return parts;
}

/** Consecutive sentences of any kind, joined as long as they fit into one unit. */
function anyParts(content: string, count: Count): readonly Part[] {
  const parts: { start: number; end: number; tokens: number }[] = [];
  for (const { start, end } of sentencesOf(content)) {
    const tokens = count(content.slice(start, end));
    const last = parts.at(-1);
    if (last && last.tokens + tokens <= mostTokensOfUnit) {
      last.end = end;
      last.tokens += tokens;
    } else parts.push({ start, end, tokens });
  }
  return parts;
}

/** Centre of all memories, weighted by their importance. */
function centreOf(sources: readonly Source[], units: readonly Unit[]): TermVector {
  const parts = new Map<number, number>();
  for (const { source } of units) parts.set(source, (parts.get(source) ?? 0) + 1);
  return normalized(
    weightedSum(
      units.map(({ vector, source }) => [vector, sources[source]!.importance / parts.get(source)!] as const),
    ),
  );
}

/** Units that fit together into the budget, the best first. */
function choose(
  sources: readonly Source[],
  units: readonly Unit[],
  centre: TermVector,
  budget: number,
): Unit[] {
  const chosen: Unit[] = [];
  const sum = new Map<string, number>();
  const near = new Map(units.map((unit) => [unit, cosine(unit.vector, centre)]));
  let candidates = units;
  let repetitions: Unit[] = [];
  let left = budget;
  let sumByCentre = 0;
  let sumSquared = 0;
  for (;;) {
    candidates = candidates.filter(({ tokens }) => tokens <= left);
    if (candidates.length === 0) {
      candidates = repetitions.filter(
        ({ tokens, vector }) =>
          tokens <= left && chosen.every((other) => cosine(other.vector, vector) <= mostAlike.last),
      );
      repetitions = [];
    }
    let best: { readonly unit: Unit; readonly worth: number; readonly bySum: number } | undefined;
    for (const unit of candidates) {
      const bySum = cosine(unit.vector, sum);
      const together = (sumByCentre + near.get(unit)!) / Math.sqrt(sumSquared + 2 * bySum + 1);
      const worth = together * weightOf(unit, sources);
      if (!best || worth > best.worth) best = { unit, worth, bySum };
    }
    if (!best) return chosen;
    const { unit, bySum } = best;
    chosen.push(unit);
    left -= unit.tokens;
    sumByCentre += near.get(unit)!;
    sumSquared += 2 * bySum + 1;
    for (const [term, weight] of unit.vector) sum.set(term, (sum.get(term) ?? 0) + weight);
    const next: Unit[] = [];
    for (const other of candidates) {
      if (other === unit) continue;
      const isAlike = cosine(other.vector, unit.vector) > mostAlike.first;
      (isAlike ? repetitions : next).push(other);
    }
    candidates = next;
  }
}

/** `isFirst`: the first of its memory, where texts mostly say what they are about. */
function gainOf(
  text: string,
  { content, time }: Source,
  names: UserNames | undefined,
  isFirst: boolean,
): number {
  if (text.length !== content.trim().length) return isFirst ? gainOfLead : 1;
  const said = time.toISOString();
  if (names && factsAboutUser(text, said, names).length > 0) return gainOfUser;
  return isPassing(text) || isTemporary(text) || isTiedToDays(text, said) ? gainOfPassing : 1;
}

function weightOf({ source, gain }: Unit, sources: readonly Source[]): number {
  const { importance } = sources[source]!;
  return (1 - weightOfImportance + weightOfImportance * importance) * gain;
}

/**
 * The chosen units in the order of time, without the last chosen ones if they are too long together; undefined if nothing is left.
 */
function written(
  depth: Depth,
  sources: readonly Source[],
  chosen: readonly Unit[],
  count: Count,
  budget: number,
): Extract | undefined {
  for (let kept = chosen.length; kept > 0; kept--) {
    const inOrder = chosen.slice(0, kept).sort((left, right) => left.place - right.place);
    const extract = marked(depth, sources, inOrder, count);
    if (extract.tokenCount <= budget) return extract;
  }
  return undefined;
}

/** The beginning of the best unit, if none fits whole. */
function cutToFit(
  depth: Depth,
  sources: readonly Source[],
  units: readonly Unit[],
  centre: TermVector,
  count: Count,
  budget: number,
): Extract {
  const worth = (unit: Unit) => cosine(unit.vector, centre) * weightOf(unit, sources);
  const best = units.reduce((best, other) => (worth(other) > worth(best) ? other : best));
  const characters = Array.from(best.text);
  const cutAt = (length: number) => {
    const text = characters.slice(0, length).join('');
    return marked(depth, sources, [{ ...best, text: `${text.replace(/\s+\S*$/u, '')}…` }], count);
  };
  let [fits, tooLong] = [1, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (cutAt(middle).tokenCount <= budget) fits = middle;
    else tooLong = middle;
  }
  return cutAt(fits);
}

/** Adjacent units of one memory share a mark. */
function marked(depth: Depth, sources: readonly Source[], units: readonly Unit[], count: Count): Extract {
  const quoted = [...new Set(units.map(({ source }) => source))];
  const parts = units.map(({ source, text }, index) =>
    units[index + 1]?.source === source ? text : `${text} [${quoted.indexOf(source) + 1}]`,
  );
  const content = parts.join(' ');
  return {
    depth,
    content,
    tokenCount: count(content),
    sources: quoted.map((source) => ({ id: sources[source]!.id, revision: sources[source]!.revision })),
  };
}
