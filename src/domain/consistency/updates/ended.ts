import { STOP_WORDS } from '../../text/stop-words.ts';
import { hasCapitals, weightOf, type Sentence, type Subject } from './sentence-index.ts';
import { commonSupport, sharedSubjects, type Comparison, type Update } from './support.ts';

const minSupport = 2.5;
const mostPairs = 200;
/** How far, in UTF-16 units, the words for what has ended may be from the words for the end. */
const reach = 70;
/** How far, in UTF-16 units, a negation may be before the word that it denies. */
const negationReach = 25;
/** Maximum number of words for what has ended: more of them belong to another statement. */
const mostWords = 4;

/** Words that say that what stands behind them has ended. */
const ENDED_AFTER =
  /\b(?:no longer|no more|stop(?:s|ped)|stop(?= \p{L}+ing\b)|quit(?:s)?|ga?ve up|given up|giv(?:es|ing) up|drop(?:s|ped)(?! (?:off|by|in)\b)|abandon(?:s|ed)|cancel(?:s|led|ed)|ha(?:s|ve) left|ha(?:s|ve) replaced|discontinued|got rid of|moved out of|(?:switch|migrat|mov|chang)(?:es|ed|ing|e)? (?:over |away )?(?:from|off)|unsubscribed from|nicht mehr|ya no|n'utilise plus|non \p{L}+ più|niet meer|już nie|больше не)\s/iu;
/** Pairs of words around what has ended: "does not eat meat any more", "kein Fleisch mehr". */
const ENDED_AROUND =
  /(?:\b(?:not|never)\b|n['’]t\b)\s(.{2,70}?)\s(?:any ?more|any longer)\b|\bkeine?[nmrs]?\s(.{2,40}?)\smehr\b|\bne\s(.{2,40}?)\splus\b/iu;
/** Words that follow something that has ended. The space precedes the lookbehind, which would otherwise run at every letter. */
const ENDED_BEFORE =
  /\s(?:(?:has|have|is|was|are|were|been|'s)\s)+(?:now\s)?(?:retired|left(?! \p{Lu})|closed (?:down|for good)|gone|discontinued|cancelled|canceled|abolished|dissolved|frozen for good|shut down|switched off|sold|scrapped|abandoned|no longer \p{L}+)\b|\sno longer\b|\s(?<=\p{Lu}\p{L}+\s)(?:left(?! \p{Lu})|retired|quit|resigned|died|passed away)\b/u;
const NEGATED =
  /\b(?:not|no|never|without|none|cannot|stopp?(?:s|ed)?|ended|former|formerly|used to|kein\p{L}*|nicht|sin|sans)\b|n['’]t\b/iu;

/** Sentences of the newer memory which say that something in the older one has ended. */
export function ended(comparison: Comparison): Update[] {
  const { older, newer } = comparison;
  const updates: Update[] = [];
  let compared = 0;
  for (const { sentence, objects } of newer.sentences.flatMap(endsIn)) {
    const indexes = new Set(objects.flatMap(({ key }) => older.bySubject.get(key) ?? []));
    for (const index of indexes) {
      if (++compared > mostPairs) return updates;
      const update = endedSentence(comparison, objects, older.sentences[index]!, sentence);
      if (update) updates.push(update);
    }
  }
  return updates;
}

interface End {
  readonly sentence: Sentence;
  readonly objects: readonly Subject[];
}

/** Extracted once for each sentence: it is compared with those of many memories. */
const known = new WeakMap<Sentence, readonly End[]>();

export function endsIn(sentence: Sentence): readonly End[] {
  const found =
    known.get(sentence) ??
    (sentence.isUnsure ? [] : endedIn(sentence).map((objects) => ({ sentence, objects })));
  known.set(sentence, found);
  return found;
}

function endedSentence(
  comparison: Comparison,
  objects: readonly Subject[],
  older: Sentence,
  newer: Sentence,
): Update | undefined {
  if (older.isUnsure || older.isPast) return undefined;
  const common = objects.filter(({ key }) => older.subjects.has(key) && !isNegated(older, key));
  if (common.length < Math.max(1, objects.length / 2)) return undefined;
  const shared = sharedSubjects(older, newer);
  const isNamed = ({ isName, key }: Subject) => isName || older.subjects.get(key)?.isName === true;
  const named = common.some(isNamed);
  // In long texts, words that a rule ends can mean many things, so all of them must be shared. In notes one shared word is enough, but
  // without a name it may be about another person or thing.
  const areNotes = comparison.older.isNote && comparison.newer.isNote;
  const isSure = areNotes || (common.length > 1 && common.length === objects.length);
  const isOnes =
    named ||
    common.length > 1 ||
    comparison.isOnePerson ||
    [...newer.subjects.values()].some(
      (subject) => older.subjects.has(subject.key) && (isNamed(subject) || hasCapitals(subject, older)),
    );
  if (!isSure || !isOnes) return undefined;
  const support =
    shared.own +
    shared.around +
    commonSupport(comparison, { ...newer, saysChange: true }) +
    (named ? 0.5 : 0);
  if (support < minSupport) return undefined;
  const [first, last] = [common[0]!, common.at(-1)!];
  return {
    difference: 'negation',
    words: [
      older.subjects.get(first.key)!.text,
      newer.text.slice(first.start, last.start + last.text.length),
    ],
    passages: [older.text, newer.text],
    shared: shared.words.slice(0, 4),
    support,
  };
}

/** Whether the sentence itself denies what it says of a subject. */
function isNegated({ text, subjects }: Sentence, key: string): boolean {
  const { start } = subjects.get(key)!;
  return NEGATED.test(text.slice(Math.max(0, start - negationReach), Math.max(0, start)));
}

/** The subjects of each statement of an end in a sentence. */
function endedIn(sentence: Sentence): Subject[][] {
  const { text } = sentence;
  const ranges: (readonly [start: number, end: number])[] = [];
  const after = ENDED_AFTER.exec(text);
  if (after && !isDenied(text, after.index)) {
    const [start, end] = clauseFrom(text, after.index + after[0].length);
    // "Moved from one thing to another": only the first has ended.
    const to = /\bfrom\s$/i.test(after[0]) ? text.slice(start, end).search(/\sto\s/) : -1;
    ranges.push([start, to === -1 ? end : start + to]);
  }
  const between = ENDED_AROUND.exec(text);
  if (between) {
    const object = between[1] ?? between[2] ?? between[3]!;
    const start = between.index + between[0].indexOf(object);
    ranges.push([start, start + object.length]);
  }
  const before = ENDED_BEFORE.exec(text);
  if (before) ranges.push(clauseUpTo(text, before.index));
  return ranges
    .map(([start, end]) =>
      [...sentence.subjects.values()]
        .filter((subject) => subject.start >= start && subject.start < end && weightOf(subject) > 0)
        .sort((a, b) => a.start - b.start)
        .slice(0, mostWords),
    )
    .filter((objects) => objects.length > 0 && !objects.every(({ key }) => STOP_WORDS.has(key)));
}

/** "Don't ever quit", "should not be cancelled". */
function isDenied(text: string, end: number): boolean {
  return /(?:\b(?:not|never|would)|n['’]t)\s(?:\p{L}+\s){0,2}$/iu.test(
    text.slice(Math.max(0, end - 20), end),
  );
}

const CLAUSE_END =
  /[,;:.()](?=\s|$)|\s(?:because|since|and|but|so|as|if|when|after|weil|aber|und|porque|pero)\s|\s[-–—→]/iu;

function clauseFrom(text: string, start: number): readonly [number, number] {
  const rest = text.slice(start, start + reach);
  const end = CLAUSE_END.exec(rest)?.index ?? rest.length;
  return [start, start + end];
}

function clauseUpTo(text: string, end: number): readonly [number, number] {
  const from = Math.max(0, end - reach);
  const before = text.slice(from, end);
  const ends = [...before.matchAll(new RegExp(CLAUSE_END, 'giu'))].at(-1);
  return [from + (ends ? ends.index + ends[0].length : 0), end];
}

/** Words that say that what stands before them, in the same clause, holds again. */
const RESUMED = /\b(?:back on|on again|again|resum\p{L}+|allowed again|ok again|back in use|wieder)\b/iu;

/** Sentences of the newer memory which say that something applies again that the older one excludes. */
export function resumed(comparison: Comparison): Update[] {
  const { older, newer } = comparison;
  const updates: Update[] = [];
  let compared = 0;
  for (const sentence of newer.sentences) {
    const resumes = RESUMED.exec(sentence.text);
    if (
      !resumes ||
      sentence.isUnsure ||
      NEGATED.test(sentence.text.slice(clauseUpTo(sentence.text, resumes.index)[0]))
    )
      continue;
    const [start, end] = clauseUpTo(sentence.text, resumes.index);
    for (const object of sentence.subjects.values()) {
      if (object.start < start || object.start >= end || weightOf(object) === 0) continue;
      for (const index of older.bySubject.get(object.key) ?? []) {
        if (++compared > mostPairs) return updates;
        const excluded = older.sentences[index]!;
        const other = excluded.subjects.get(object.key)!;
        const [from, to] = [Math.max(0, other.start - negationReach), Math.max(0, other.start)];
        const negation = NEGATED.exec(excluded.text.slice(from, to));
        if (!negation || excluded.isUnsure) continue;
        const shared = sharedSubjects(excluded, sentence);
        const support =
          shared.own + shared.around + commonSupport(comparison, { ...sentence, saysChange: true });
        if (support < minSupport) continue;
        updates.push({
          difference: 'negation',
          words: [
            excluded.text.slice(from + negation.index, to + other.text.length),
            `${object.text} ${resumes[0]}`,
          ],
          passages: [excluded.text, sentence.text],
          shared: shared.words.slice(0, 4),
          support,
        });
      }
    }
  }
  return updates;
}
