const VOWELS = 'aeiouy';
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);
const VALID_LI = 'cdeghkmnrt';

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
]);

/** Words that are not stemmed further after a plural s is removed: "innings" is not derived from "inn". */
const FINISHED_AFTER_PLURAL = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);

/** Longest first, because the algorithm uses the longest matching suffix. */
const STEP_2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];

const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const STEP_4: readonly string[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
  'al',
  'er',
  'ic',
];

/**
 * The stem of an English word in lower case ASCII letters; other input comes back as it is.
 * Source: M. F. Porter, the "English" (Porter2) stemmer of Snowball, https://snowballstem.org/algorithms/english/stemmer.html,
 * in the revision that PostgreSQL ships as `english_stem`.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;

  const marked = markConsonantY(word);
  const r1 = firstRegion(marked);
  const r2 = regionAfter(marked, r1);
  const singular = removePlural(marked);
  if (FINISHED_AFTER_PLURAL.has(singular)) return singular;
  let w = removeInflection(singular, r1);
  w = vocalizeFinalY(w);
  w = replaceSuffix(w, STEP_2, r1, (suffix, base) => {
    if (suffix === 'li') return VALID_LI.includes(base.at(-1) ?? ' ');
    return suffix !== 'ogi' || base.endsWith('l');
  });
  w = replaceSuffix(w, STEP_3, r1, (suffix, base) => suffix !== 'ative' || base.length >= r2);
  w = removeDerivation(w, r2);
  return removeFinal(w, r1, r2).toLowerCase();
}

function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && VOWELS.includes(letter);
}

/** A y that begins the word or follows a vowel is a consonant, written Y until the end. */
function markConsonantY(word: string): string {
  if (!word.includes('y')) return word;
  let out = '';
  for (const letter of word) out += letter === 'y' && (out === '' || isVowel(out.at(-1))) ? 'Y' : letter;
  return out;
}

/** Where R1 begins: after the first consonant that follows a vowel. */
function firstRegion(word: string): number {
  const prefix = /^(?:gener|commun|arsen)/.exec(word);
  return prefix ? prefix[0].length : regionAfter(word, 0);
}

function regionAfter(word: string, from: number): number {
  for (let i = from + 1; i < word.length; i++) {
    if (!isVowel(word[i]) && isVowel(word[i - 1])) return i + 1;
  }
  return word.length;
}

function hasVowel(text: string): boolean {
  return /[aeiouy]/.test(text);
}

function endsInShortSyllable(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word);
}

/** Step 1a. */
function removePlural(w: string): string {
  if (w.endsWith('sses')) return w.slice(0, -2);
  if (w.endsWith('ied') || w.endsWith('ies')) return w.slice(0, w.length > 4 ? -2 : -1);
  if (w.endsWith('us') || w.endsWith('ss')) return w;
  return w.endsWith('s') && hasVowel(w.slice(0, -2)) ? w.slice(0, -1) : w;
}

/** Step 1b. */
function removeInflection(w: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(w);
  if (eed) return eed.index >= r1 ? `${w.slice(0, eed.index)}ee` : w;
  const suffix = /(?:ed|ing)(?:ly)?$/.exec(w);
  if (!suffix || !hasVowel(w.slice(0, suffix.index))) return w;
  const base = w.slice(0, suffix.index);
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLES.has(base.slice(-2))) return /^[aeo]..$/.test(base) ? base : base.slice(0, -1);
  return base.length <= r1 && endsInShortSyllable(base) ? `${base}e` : base;
}

/** Step 1c. */
function vocalizeFinalY(w: string): string {
  return w.length > 2 && /[^aeiouy][yY]$/.test(w) ? `${w.slice(0, -1)}i` : w;
}

/** Steps 2 and 3: only the longest matching suffix is considered, even if it may not be replaced. */
function replaceSuffix(
  w: string,
  suffixes: readonly (readonly [string, string])[],
  region: number,
  allowed: (suffix: string, base: string) => boolean,
): string {
  for (const [suffix, replacement] of suffixes) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return base.length >= region && allowed(suffix, base) ? base + replacement : w;
  }
  return w;
}

/** Step 4. */
function removeDerivation(w: string, r2: number): string {
  for (const suffix of STEP_4) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return base.length >= r2 && (suffix !== 'ion' || /[st]$/.test(base)) ? base : w;
  }
  return w;
}

/** Step 5. */
function removeFinal(w: string, r1: number, r2: number): string {
  const base = w.slice(0, -1);
  if (w.endsWith('e')) {
    return base.length >= r2 || (base.length >= r1 && !endsInShortSyllable(base)) ? base : w;
  }
  return w.endsWith('ll') && base.length >= r2 ? base : w;
}
