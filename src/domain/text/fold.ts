import { simplifiedChinese } from './simplified-chinese.ts';

/** Accents, and the marks that Arabic and Hebrew (vowels, hamza above or below a letter) and Devanagari (nukta) may omit. */
const MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u093c]/g;

/** The zero-width non-joiner of Persian and Urdu stands between the parts of a compound; in other scripts it only affects the shape. */
const ARABIC_NON_JOINER = /(?<=[\p{Script=Arabic}\p{M}])\u200c(?=\p{Script=Arabic})/gu;

/** Soft hyphens, zero-width characters, direction marks and variation selectors, with the tatweel that lengthens Arabic words. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;

/** "2½" and "10²" are not the numbers that their compatibility forms would spell. */
const NUMBER_BESIDE_DIGITS = /(?<=\p{Nd})(?=\p{No})/gu;

/** Quotation marks inside of a Hebrew word mark an acronym. */
const HEBREW_ACRONYM = /(?<=\p{Script=Hebrew})["'’׳״](?=\p{Script=Hebrew})/gu;

/**
 * Letters with other spellings that no Unicode normalization form unites, each before its common spelling. Arabic: alef with wasla,
 * final heh and yeh, and the Persian and Urdu forms of kaf, yeh and heh; the decimal and the thousands separator of its numbers.
 * Devanagari: a nasal vowel is written with either sign.
 */
const SPELLINGS = [
  'ß ss ẞ SS æ ae Æ AE œ oe Œ OE ø o Ø O ł l Ł L ı i đ d Đ D ð d Ð D þ th Þ TH ħ h Ħ H ς σ',
  'ٱ ا ة ه ى ي ک ك ی ي ے ي ہ ه ە ه ھ ه ٫ . ٬ ,',
  'ँ ं',
];
const LETTERS: ReadonlyMap<string, string> = new Map(
  SPELLINGS.flatMap((line) => {
    const spellings = line.split(' ');
    return spellings.flatMap((letter, i) => (i % 2 === 0 ? [[letter, spellings[i + 1]!] as const] : []));
  }),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'gu');

/** Digits of other scripts, which stand in runs of ten, in order. */
const DIGIT = /(?![0-9])\p{Nd}/gu;

/**
 * Gives one form to what is one word: lower case, without accents and optional marks, compatibility forms (width, ligatures),
 * invisible characters, variants of a letter, traditional Chinese characters and the digits of other scripts. "Ｃａｆé" becomes
 * "cafe", "STRASSE" and "Straße" become "strasse", "٤٤٢١" becomes "4421". Idempotent. For comparing texts, not for showing them.
 */
export function fold(text: string): string {
  return lowered(foldExceptCase(text));
}

/** Like `fold`, but keeps the case, which separates the parts of "LeaseStore". */
export function foldExceptCase(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  const composed = text
    .replace(NUMBER_BESIDE_DIGITS, ' ')
    .normalize('NFKD')
    .replace(ARABIC_NON_JOINER, ' ')
    .replace(INVISIBLE, '')
    .replace(MARKS, '')
    .replace(HEBREW_ACRONYM, '')
    .normalize('NFC');
  const spelled = composed.replace(LETTER, (letter) => LETTERS.get(letter)!).replace(DIGIT, asciiDigit);
  return simplifiedChinese(spelled);
}

/** In lower case; a sigma has the same form at the end of a word as inside. */
export function lowered(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}
