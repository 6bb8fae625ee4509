import { cleaned, type CitedSentence } from '../../grounding/cited-sentences.ts';
import { isSupported, termsOf } from '../../grounding/support.ts';
import { toldForm } from '../../memory/affirmation.ts';
import { fold } from '../../text/tokens.ts';
import type { FactAnswer, SaidTurn, TurnWindow } from './prompt.ts';

/** A fact that passed the checks, with the ids of its turns. */
export interface CheckedFact {
  readonly text: string;
  readonly turnIds: string[];
}

export interface CheckedFacts {
  readonly facts: readonly CheckedFact[];
  /** How many were left out, and why. */
  readonly dropped: { readonly unsupported: number; readonly junk: number };
}

/** In UTF-16 units. */
const longest = 400;
/** Least share of letters: what has fewer is data or code. */
const leastLetters = 0.5;

/** Names of speakers that have none of their own. */
const speakers = ['user', 'assistant', 'human', 'ai'];

const greeting =
  /^(?:hi|hello|hey|thanks|thank you|ok|okay|yes|no|sure|bye|goodbye|good (?:morning|evening|night)|welcome)\b[\s\p{P}]*(?:there|all|everyone)?[\s\p{P}]*$/iu;
/** What somebody did in the conversation, instead of what they told. */
const smallTalk =
  /^(?:(?:asks?|asked|wonders?|wondered|wants? to know|wanted to know|inquire[sd]?)\b|(?:greets?|greeted|thanks?|thanked|says? (?:hi|hello|goodbye|thanks)|said (?:hi|hello|goodbye|thanks))\b)/iu;
const ofAssistant = /^(?:the\s+)?(?:assistant|ai|chatbot|language model)\b/iu;
const code = /```|^\s*[[{<]|https?:\/\/\S+\s*$|\bat \S+ \(\S+:\d+/u;

const negations =
  /\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|stopped|quit)\b|n['’]t\b|\b(?:nicht|kein\w*|nie|ohne|pas|jamais|sans|sin|nunca|non|mai|senza)\b/iu;

/**
 * The facts of an answer that may be kept. Each names turns that the model was shown, and its words, numbers and names are theirs: names of
 * speakers apart, which anybody could put before anything. A fact denies nothing that its turns do not deny.
 */
export function checkedFacts(answer: FactAnswer, { turns }: TurnWindow): CheckedFacts {
  const byNumber = new Map(turns.map((turn) => [turn.number, turn]));
  const known = new Set([...speakers, ...turns.flatMap(({ name }) => wordsOf(name ?? ''))]);
  const kept = new Map<string, CheckedFact>();
  const dropped = { unsupported: 0, junk: 0 };
  for (const { text, turns: numbers } of answer.facts) {
    const sentence = cleaned({ text, sources: numbers });
    const said = withoutSpeakers(sentence.text, known);
    const cited = sentence.sources.map((number) => byNumber.get(number));
    if (isJunk(sentence, said)) dropped.junk++;
    else if (cited.length === 0 || !cited.every((turn) => turn !== undefined) || !isBackedBy(said, cited))
      dropped.unsupported++;
    else {
      const form = toldForm(sentence.text);
      if (!kept.has(form)) kept.set(form, { text: sentence.text, turnIds: cited.map(({ id }) => id) });
    }
  }
  return { facts: [...kept.values()], dropped };
}

function isBackedBy(said: string, turns: readonly SaidTurn[]): boolean {
  const sources = turns.map(({ content, at, name }) =>
    termsOf([content, name ?? '', ...datesOf(at)].join('\n')),
  );
  if (!isSupported(said, sources)) return false;
  return !negations.test(said) || turns.some(({ content }) => negations.test(content));
}

/** Whether the sentence is nothing to remember: a question, a greeting, data, or what somebody did in the conversation. */
function isJunk({ text }: CitedSentence, said: string): boolean {
  if (text.length > longest || termsOf(said).size === 0) return true;
  if (/[?？]["”’)]*$/u.test(text) || greeting.test(said) || smallTalk.test(said)) return true;
  if (ofAssistant.test(text) || code.test(text)) return true;
  const characters = text.replaceAll(/\s/g, '');
  return (characters.match(/[\p{L}\p{M}]/gu)?.length ?? 0) < leastLetters * characters.length;
}

/** The text without the names of the speakers. */
function withoutSpeakers(text: string, known: ReadonlySet<string>): string {
  return text
    .replace(/^the\s+(?=user\b)/iu, '')
    .replaceAll(/[\p{L}\p{M}\p{N}]+(?:['’]s)?/gu, (word) =>
      known.has(fold(word.replace(/['’]s$/u, ''))) ? '' : word,
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const wordsOf = (name: string): string[] =>
  name
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
    .map(fold);

/** The day of a turn, in the ways in which a sentence may write it. */
function datesOf(at: string): string[] {
  const day = new Date(at);
  const month = day.toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  return [at.slice(0, 10), `${day.getUTCDate()} ${month} ${day.getUTCFullYear()}`];
}
