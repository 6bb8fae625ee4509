import { areChoices, areOpposite, isChoice, isState } from '../alternatives.ts';
import type { Difference } from '../verdict.ts';
import { fold } from '../../text/tokens.ts';
import { hasCapitals, type Sentence } from './sentence-index.ts';
import { commonSupport, sharedSubjects, type Comparison, type Shared, type Update } from './support.ts';

const minSupport = 2.5;
const mostPairs = 200;

/** A value that a sentence chooses or excludes, one of several of its kind that exclude each other. */
interface Choice {
  readonly kind: string;
  readonly value: string;
  readonly text: string;
  /** The sentence excludes the value. */
  readonly isExcluded: boolean;
}

/** Words that say what somebody prefers or asks for. */
const WISH =
  /\b(?:prefer\p{L}*|wants?|wish(?:es)?|likes?|loves?|would rather|rather|please|contact(?:ed)?|reach(?:ed)?|answers? (?:best )?(?:by|in)|favou?rs?|favou?rite)\b|^(?:write|call|ring|text|use|send|mail)\b|\b(?:write|ring|call|text|mail|message) (?:me|him|her|us|them)\b|bevorzug\p{L}*|möchte|bitte|prefiere|por favor|préfère|希望/iu;
const EXCLUDED =
  /\b(?:not?|never|without|instead of|rather than|over|kein\p{L}*|nicht|sin|pas de|no more|stop\p{L}*)\b|n['’]t\b/iu;

const CHANNELS: readonly (readonly [value: string, words: RegExp])[] = [
  [
    'phone',
    /\b(?:phone|telephone|calls?|called|calling|ring|telefon\p{L}*|anrufen|llam\p{L}+|appeler|téléphone)\b/giu,
  ],
  ['mail', /\b(?:e-?mails?|e-?mailed|mails?|inbox|correo|courriel)\b/giu],
  ['chat', /\b(?:chat|slack|teams|direct messages?|dms?|discord)\b/giu],
  ['text message', /\b(?:sms|text messages?|texts?|texted|whatsapp|telegram|signal)\b/giu],
  ['letter', /\b(?:letters?|by post|postal|fax)\b/giu],
  ['video', /\b(?:video calls?|zoom|video link)\b/giu],
];

/** Names of languages in English, from the runtime's CLDR data. */
const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const LANGUAGES = new Set(
  'en de fr es pt it nl pl tr ru uk sv da no cs fi ja zh ko ar he hi el hu ro'
    .split(' ')
    .map((code) => languageNames.of(code)!.toLowerCase()),
);

const PLAN_NAME = /\b(\p{Lu}\p{L}{2,}) (?:plan|tier|edition|package|subscription|licen[cs]e|tariff)\b/gu;
const PLAN_AFTER =
  /\b(?:[Pp]lan|[Tt]ier|[Ee]dition|[Ss]ubscription|[Tt]arif(?:f)?)(?: is(?: now)?|:| to)? (\p{Lu}\p{L}{2,})\b|\b(?:[Ss]igned(?: up)? for|[Ss]ubscribed to|moves? up to|[Uu]pgraded to|[Uu]pgrades to|[Dd]owngraded to|[Dd]owngrades to|switched to) (?:the )?(\p{Lu}\p{L}{2,})(?! \p{Lu})/gu;
const KANA_PRESENCE =
  /([\p{sc=Katakana}ー]{2,}|\p{sc=Han}{2,})(?:は|が)?(なし|無し|不要|禁止|あり|有り|必要|必須)/gu;

/** Words that show that a sentence about a plan does not say who has it, but who needs or asks for it, or what it has. */
const PLAN_OF_OTHERS =
  /\b(?:need|require|necesit|brauch|ask|consider|interested|compar|quot|only|all|accounts|customers|includ|wants? to)\p{L}*/iu;

/** Sentences that choose between things that exclude each other: how to reach somebody, a plan, a state. */
export function changedChoices(comparison: Comparison): Update[] {
  const [olders, newers] = [
    comparison.older.sentences.flatMap(choicesIn),
    comparison.newer.sentences.flatMap(choicesIn),
  ];
  const updates: Update[] = [];
  let compared = 0;
  for (const newer of newers)
    for (const older of olders) {
      if (older.choice.kind !== newer.choice.kind) continue;
      if (++compared > mostPairs) return updates;
      const update = changedChoice(comparison, older, newer);
      if (update) updates.push(update);
    }
  return updates;
}

/** Extracted once for each sentence: it is compared with those of many memories. */
const known = new WeakMap<Sentence, readonly Chosen[]>();

export function choicesIn(sentence: Sentence): readonly Chosen[] {
  const found =
    known.get(sentence) ??
    (sentence.isUnsure ? [] : choicesOf(sentence).map((choice) => ({ choice, sentence })));
  known.set(sentence, found);
  return found;
}

interface Chosen {
  readonly choice: Choice;
  readonly sentence: Sentence;
}

function changedChoice(comparison: Comparison, older: Chosen, newer: Chosen): Update | undefined {
  const { kind } = older.choice;
  if (!excludes(older.choice, newer.choice)) return undefined;
  if (kind.startsWith('state ') && !newer.sentence.saysChange) return undefined;
  const shared = sharedSubjects(older.sentence, newer.sentence);
  const isOnes =
    comparison.isOnePerson ||
    (kind === 'channel' || kind === 'language'
      ? namePerson(older.sentence, newer.sentence)
      : shared.words.length > 0);
  if (!isOnes) return undefined;
  if (shared.own < 1 && !(comparison.older.isNote && comparison.newer.isNote)) return undefined;
  const support = 1.5 + supportOf(kind, shared) + commonSupport(comparison, newer.sentence);
  if (support < minSupport) return undefined;
  return {
    difference: differenceOf(older.choice, newer.choice),
    words: [older.choice.text, newer.choice.text],
    passages: [older.sentence.text, newer.sentence.text],
    shared: shared.words.slice(0, 4),
    support,
  };
}

const VERBS = /^(?:reach|contact|write|call|ring|send|mail|text|prefer|ask|answer|reply|use|chat)/i;

/** Whether both sentences name the same person: how to reach somebody says nothing about how to reach somebody else. */
function namePerson(older: Sentence, newer: Sentence): boolean {
  return [...newer.subjects.values()].some(
    (subject) => hasCapitals(subject, older) && !VERBS.test(subject.text),
  );
}

/** Whether two choices exclude each other: they want different values of one kind, or one excludes what the other wants. */
function excludes(older: Choice, newer: Choice): boolean {
  if (older.isExcluded && newer.isExcluded) return false;
  if (older.isExcluded || newer.isExcluded) return older.value === newer.value;
  if (older.kind.startsWith('state ')) return areOpposite(older.value, newer.value);
  if (older.kind === 'choice') return areChoices(older.value, newer.value);
  return older.value !== newer.value;
}

function supportOf(kind: string, { own, around }: Shared): number {
  return kind.startsWith('state ') ? own + around / 2 - 0.5 : own + around;
}

function differenceOf(older: Choice, newer: Choice): Difference {
  if (older.isExcluded !== newer.isExcluded) return 'negation';
  return older.kind === 'plan' || older.kind === 'language' ? 'name' : 'word';
}

function choicesOf(sentence: Sentence): Choice[] {
  const { text } = sentence;
  return [
    ...(WISH.test(text) ? wishesIn(text) : []),
    ...plansIn(text),
    ...statesIn(text),
    ...presencesIn(text),
  ];
}

function wishesIn(text: string): Choice[] {
  const wishes: Choice[] = [];
  for (const [value, words] of CHANNELS) {
    const match = [...text.matchAll(words)][0];
    if (match)
      wishes.push({ kind: 'channel', value, text: match[0], isExcluded: isExcluded(text, match.index) });
  }
  for (const { 0: word, index } of text.matchAll(/\p{L}+/gu)) {
    const folded = fold(word);
    if (LANGUAGES.has(folded) && /\b(?:in|auf|en)\s$/.test(text.slice(Math.max(0, index - 5), index)))
      wishes.push({ kind: 'language', value: folded, text: word, isExcluded: isExcluded(text, index) });
    else if (isChoice(folded))
      wishes.push({ kind: 'choice', value: folded, text: word, isExcluded: isExcluded(text, index) });
  }
  const wanted = wishes.filter((wish) => !wish.isExcluded);
  // "By phone or by mail" chooses neither.
  const isOpen = (kind: string) =>
    new Set(wanted.filter((wish) => wish.kind === kind).map(({ value }) => value)).size > 1;
  return wishes.filter((wish) => wish.isExcluded || !isOpen(wish.kind));
}

function isExcluded(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 28), index);
  const clause = before.slice(
    Math.max(before.lastIndexOf(','), before.lastIndexOf(';'), before.lastIndexOf('. ')) + 1,
  );
  return EXCLUDED.test(clause);
}

function plansIn(text: string): Choice[] {
  if (PLAN_OF_OTHERS.test(text)) return [];
  const names = [...text.matchAll(PLAN_NAME), ...text.matchAll(PLAN_AFTER)].map(
    ([, first, second]) => (first ?? second)!,
  );
  const [name] = names;
  const isOne =
    name !== undefined &&
    new Set(names).size === 1 &&
    !/^(?:The|Our|Their|This|That|New|My|Your|Plan)$/.test(name);
  return isOne ? [{ kind: 'plan', value: name.toLowerCase(), text: name, isExcluded: false }] : [];
}

/** States with the word before them, which says what has the state: "fails open", "is enabled". */
function statesIn(text: string): Choice[] {
  const states: Choice[] = [];
  for (const { 1: verb, 2: word, index } of text.matchAll(/(?<!\p{L})(\p{L}{2,})\s(?=(\p{L}{2,}))/gu)) {
    const state = fold(word!);
    if (!isState(state)) continue;
    const kind = /^(?:is|are|was|were|be|am|now|currently|still)$/i.test(verb!)
      ? 'be'
      : fold(verb!).replace(/s$/, '');
    if (kind !== 'be' && !/^(?:fail|stay|remain|run|default|turn|switch|set|default)/.test(kind)) continue;
    states.push({ kind: `state ${kind}`, value: state, text: word!, isExcluded: isExcluded(text, index) });
  }
  return states;
}

function presencesIn(text: string): Choice[] {
  return [...text.matchAll(KANA_PRESENCE)].map(([all, noun, presence]) => ({
    kind: `presence ${noun}`,
    value: 'present',
    text: all,
    isExcluded: /なし|無し|不要|禁止/.test(presence!),
  }));
}
