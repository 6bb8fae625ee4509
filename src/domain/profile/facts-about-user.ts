import { isTiedToDays } from '../context/stable.ts';
import { sentencesOf } from '../text/sentences.ts';
import { HABIT, isPassing, isTemporary } from './passing-cues.ts';
import {
  CALL_ME,
  COPULA,
  DROPPED_SUBJECT,
  EAST_ASIAN_SELF,
  EAST_ASIAN_STATE,
  INSTRUCTION,
  LASTING_CHANGE,
  MY,
  PERSON,
  SELF,
  SELF_STATE,
  THIRD_STATE,
} from './state-cues.ts';
import type { UserNames } from './user-names.ts';

/**
 * What a memory says that is stably true of its user, word for word: the whole if every sentence of it may be said, else the
 * sentences that may. Empty for rotas, keys, tickets, plans, single days, and facts about other people or things. It goes by words
 * and their order, so it leaves out what it does not recognise. `time`: when the memory was said, RFC 3339.
 */
export function factsAboutUser(text: string, time: string, names: UserNames): readonly string[] {
  const whole = text.trim();
  const { said, isOwn } = ownWords(whole, names);
  const sentences = sentencesOf(said).map(({ start, end }) => said.slice(start, end));
  const judged = sentences.map((sentence) => judge(sentence, time, names, isOwn));
  if (!judged.includes('fact')) return [];
  if (!judged.includes('never')) return [whole];
  return sentences.filter((_, at) => judged[at] === 'fact');
}

/** `fact`: stably true of the user. `neutral`: may stand beside a fact. `never`: belongs in no profile. */
type Verdict = 'fact' | 'neutral' | 'never';

function judge(sentence: string, time: string, names: UserNames, isOwn: boolean): Verdict {
  if (isPassing(sentence)) return 'never';
  const isOfUser = SELF.test(sentence) || names.startOf(sentence) !== undefined;
  if (isOfUser && LASTING_CHANGE.test(sentence) && !isOfOthers(sentence)) return 'fact';
  if (isTemporary(sentence) || (isTiedToDays(sentence, time) && !HABIT.test(sentence))) return 'never';
  return isFact(sentence, names, isOwn) ? 'fact' : 'neutral';
}

function isFact(sentence: string, names: UserNames, isOwn: boolean): boolean {
  if (CALL_ME.test(sentence) || INSTRUCTION.test(sentence) || DROPPED_SUBJECT.test(sentence)) return true;
  if (EAST_ASIAN_SELF.test(sentence)) return EAST_ASIAN_STATE.test(sentence);
  const subject = names.startOf(sentence);
  if (subject !== undefined)
    return subject.isPossessive
      ? isOwned(subject.rest)
      : THIRD_STATE.test(subject.rest) || EAST_ASIAN_STATE.test(subject.rest);
  const possession = OWN.exec(sentence);
  if (possession && isOwned(sentence.slice(possession[0].length))) return true;
  return SELF_STATE.test(sentence) || (isOwn && !FINITE.test(sentence));
}

const OWN = new RegExp(`^(?:(?:on|in|at|every) \\p{L}+,? |and |but |und |et |y |e |en )?${MY} `, 'iu');
/** A verb of somebody else's doing: what follows "Mia:" is a wish of hers only without one. */
const FINITE =
  /(?<!\p{L})(?:is|are|was|were|has|have|had|will|ist|sind|war|hat|est|sont|es|está|è|é|\p{L}{3,}ed)(?!\p{L})/iu;
/** A person is named: "is called Jonas", "is Dr. Hanlon", "heißt Ana". */
const NAMING =
  /(?:called|named|hei(?:ß|ss)t|s['’]appelle|se llama|si chiama|chama-se|heet|(?:is|ist|est|es|è|é)) (?:\p{Lu}|Dr|Frau|Herr)/u;

/** After "my" or "User's": a quality or a thing is told, or who somebody is. */
function isOwned(rest: string): boolean {
  const [owned = ''] = rest.split(COPULA, 1);
  if (owned === rest) return /^[^.]{1,40}: /u.test(rest) && !PERSON.test(owned);
  return owned.split(/\s+/u).length <= 6 && (!PERSON.test(owned) || NAMING.test(rest));
}

/** "My sister moved to Oslo." */
function isOfOthers(sentence: string): boolean {
  const possession = OWN.exec(sentence);
  return possession !== null && PERSON.test(sentence.slice(possession[0].length).split(/\s+/u, 3).join(' '));
}

/** A line of a dialogue, and who says it. */
const SPEAKER = /^\s*(?<speaker>[\p{L}'’-]+(?: \p{Lu}[\p{L}.'’-]*)?(?: \([^():]{1,30}\))?)\s*[:：]\s*/u;

/** What the user says in a dialogue, or after the user's name and a colon; else the text as it is. */
function ownWords(text: string, names: UserNames): { readonly said: string; readonly isOwn: boolean } {
  const lines = text.split('\n');
  const turns = lines.map((line) => SPEAKER.exec(line));
  const isUser = (turn: RegExpExecArray | null) => turn !== null && names.has(turn.groups!['speaker']!);
  if (!isUser(turns[0]!)) return { said: text, isOwn: false };
  let isUsersTurn = true;
  const said = lines.flatMap((line, at) => {
    const turn = turns[at]!;
    if (turn && (isUser(turn) || /^(?:assistant|agent|ai|bot)$/iu.test(turn.groups!['speaker']!)))
      isUsersTurn = isUser(turn);
    return isUsersTurn ? [isUser(turn) ? line.slice(turn[0].length) : line] : [];
  });
  return { said: said.join('\n'), isOwn: true };
}
