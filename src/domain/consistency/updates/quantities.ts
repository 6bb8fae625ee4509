import { fold } from '../../text/tokens.ts';
import { stem } from '../../text/porter2.ts';
import { STOP_WORDS } from '../../text/stop-words.ts';
import { NUMBER_WORDS } from '../../text/written-numbers.ts';
import type { Value } from './calendar.ts';
import { BYTES, CALLS, CURRENCIES, SECONDS, SYMBOLS } from './units.ts';

const AMOUNT = String.raw`\d{1,3}(?:[,.\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.,:/#@=+-]|\p{N}[-–]|[#@]\s?)([$€£¥₹])?\s?(${AMOUNT})(k\b)?(?![\p{N}_:@]|[.,/-]\p{N}|-\p{Lu})(?:[\s-]?([%$€£¥₹]|(?!(?:to|and|or|a|an|per|each|every|in|of|for|at|from|on|with|is|are|after|before|by|as|the|pro|por|par)\b)\p{L}{1,24}(?![\p{L}\p{N}])))?(?:\s?\/\s?(\p{L}{1,12})|\s(?:per|a|an|each|every|pro|por|par|al|im|la)\s(?:account and\s)?(\p{L}{2,12}))?`,
  'gu',
);
/** Words behind an amount which say that it is a difference between two things. */
const COMPARED = /^\s(?:less|more|fewer|than|ago|later|earlier|off|higher|lower|faster|old)\b/;
const SPELLED = new RegExp(
  String.raw`(?<![\p{L}-])(${NUMBER_WORDS.slice(2).join('|')})\s(\p{L}{3,24})`,
  'giu',
);
const VERSION =
  /(?<![\p{L}\p{N}_.:/#-])v?(\d{1,4}\.\d{1,4}(?:\.\d{1,4})*(?:-[a-z]+\d*)?)(?![\p{N}_:/]|\.\p{N})/gu;

/** A number directly behind a word ("room 12", "Juno 35") is compared with other numbers behind that word. */
const COUNTED =
  /(?<![\p{L}\p{N}_./#-])(\p{L}[\p{L}'’-]{1,24})\s(\d{1,4}(?:\.\d{1,3})?(?:\/\d{1,3})?)(?=[,;.)\s–—-]|$)(?!\.\d|\s?[%$€£]|-\p{L}|\s\p{Ll}{3})/gu;
/** Words before the number of one among several. */
const NUMBERED =
  /^(?:step|phase|sprint|chapter|section|part|question|problem|exercis|task|item|day|week|month|year|quarter|figur|tabl|option|issu|ticket|level|grade|class|page|line|version|of|adr|pep|kep|eip|rfc|pr|no|number|nr|least|most|than|about|around|almost|nearli|exact|anoth|roughli)$/;
const DAY_NUMBER = /\b(?:on|by|after|at) day (\d{1,3})\b/gi;
/** Words that mean a whole, compared with percentages. */
const EVERYONE = /\b(?:everyone|everybody|all (?:users|tenants|customers|accounts|traffic|requests))\b/gi;
/** A number that ends a label, or stands behind "is" or "to". */
const PLAIN =
  /(?:[:=]|\b(?:is|to|at|now))\s(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?=[,;.)\s]|$)(?![.,]\d|\s\p{L}|\s?[%$€£])/gu;

/** The quantities and versions in a sentence. Ranges in `taken` are skipped: their digits belong to dates and times. */
export function quantities(text: string, taken: readonly Value[]): Value[] {
  const found: Value[] = [];
  const isFree = (start: number, end: number) =>
    [...taken, ...found].every((other) => start >= other.end || end <= other.start);
  for (const match of text.matchAll(NUMBER)) {
    const [all, symbol, digits, thousands, unit, slashed, per] = match as unknown as [
      string,
      ...(string | undefined)[],
    ];
    const number = amountOf(digits!) * (thousands === undefined ? 1 : 1_000);
    const read = quantityOf(number, symbol ?? unit, slashed ?? per);
    const start = match.index + (all.length - all.trimStart().length);
    // What a rate is counted by ("a seat") also says what it is about, so it does not belong to the value.
    const rate = /(?:\s?\/\s?|\s)\p{L}+(?:\s(?:account and\s)?\p{L}+)?$/u;
    const end = match.index + ((slashed ?? per) === undefined ? all : all.replace(rate, '')).trimEnd().length;
    // "LH 440" and "PR 12" are names.
    if (/(?:^|[\s(])\p{Lu}{2,}\s?$/u.test(text.slice(Math.max(0, start - 8), start))) continue;
    if (!read || !isFree(start, end) || COMPARED.test(text.slice(end, end + 12))) continue;
    found.push({ ...read, start, end });
  }
  for (const { 0: all, 1: word, 2: unit, index } of text.matchAll(SPELLED)) {
    const read = quantityOf(NUMBER_WORDS.indexOf(word!.toLowerCase()), unit, undefined);
    if (read && isFree(index, index + all.length))
      found.push({ ...read, start: index, end: index + all.length });
  }
  for (const { 0: all, 1: version, index } of text.matchAll(VERSION))
    if (isFree(index, index + all.length))
      found.push({ key: 'version', value: version!, start: index, end: index + all.length });
  for (const { 0: all, 1: number, index } of text.matchAll(DAY_NUMBER))
    if (isFree(index, index + all.length))
      found.push({
        key: 'duration',
        value: String(Number(number) * 86_400),
        start: index,
        end: index + all.length,
      });
  for (const { 0: all, index } of text.matchAll(EVERYONE))
    if (isFree(index, index + all.length))
      found.push({ key: '%', value: '100', start: index, end: index + all.length });
  for (const { 0: all, 1: word, 2: number, index } of text.matchAll(COUNTED)) {
    const key = stem(fold(word!));
    if (STOP_WORDS.has(key) || STOP_WORDS.has(fold(word!)) || NUMBERED.test(key)) continue;
    const start = index + all.length - number!.length;
    if (isFree(start, start + number!.length))
      found.push({ key: `~${key}`, value: number!, start, end: start + number!.length });
  }
  for (const { 0: all, 1: number, index } of text.matchAll(PLAIN)) {
    const start = index + all.length - number!.length;
    const end = start + number!.length;
    const label = /(\p{L}+)\s?[:=]?\s?$/u.exec(text.slice(Math.max(0, start - 20), start))?.[1];
    if (label !== undefined && NUMBERED.test(stem(fold(label)))) continue;
    if (isFree(start, end)) found.push({ key: 'number', value: String(amountOf(number!)), start, end });
  }
  return found;
}

function quantityOf(
  number: number,
  unit: string | undefined,
  per: string | undefined,
): { readonly key: string; readonly value: string } | undefined {
  const value = String(number);
  if (unit === undefined) return per === undefined ? undefined : { key: `per ${stem(fold(per))}`, value };
  const word = fold(unit);
  const currency = SYMBOLS[unit] ?? CURRENCIES[word];
  if (currency) return { key: currency, value };
  if (word === '%' || word === 'percent' || word === 'prozent') return { key: '%', value };
  const single = word.length > 2 ? word.replace(/s$/, '') : word;
  const seconds = SECONDS[word] ?? SECONDS[single];
  if (seconds !== undefined && per === undefined) return { key: 'duration', value: String(number * seconds) };
  const bytes = BYTES[word];
  if (bytes !== undefined) return { key: 'bytes', value: String(number * bytes) };
  if (per !== undefined) {
    const counted = CALLS.has(word) ? 'call' : stem(word);
    return { key: `${counted} per ${stem(fold(per)).slice(0, 3)}`, value };
  }
  if (/^(?:rps|qps)$/.test(word)) return { key: 'call per sec', value };
  // A letter behind a number makes a name: "3b".
  if (word.length < 2 || STOP_WORDS.has(word) || /^\p{Lu}/u.test(unit)) return undefined;
  return { key: `# ${stem(word)}`, value };
}

/** Reads "1,200", "1.200" and "12 450,50" as numbers: groups of three digits are thousands. */
function amountOf(digits: string): number {
  const whole = digits.replaceAll(/[,.\u202f ](?=\d{3}(?!\d))/g, '');
  return Number(whole.replace(',', '.'));
}
