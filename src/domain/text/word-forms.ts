/** Minimum mean length of the parts of an identifier. Random letters, and names such as "iOS" and "eBay", have shorter ones. */
const LEAST_PART_LENGTH = 2.5;

/**
 * The parts of an identifier in CamelCase, in lower case: "HTTPServerConfig" has "http", "server" and "config". None for other words,
 * for plurals of acronyms ("APIs"), and for random letters.
 */
export function camelCaseParts(word: string): readonly string[] {
  if (!/\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word)) return [];
  const parts = word.match(/\p{Lu}+(?=\p{Lu}\p{Ll}{2})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}+s?\p{N}*|\p{N}+/gu) ?? [];
  if (parts.length < 2 || parts.length * LEAST_PART_LENGTH > word.length) return [];
  return parts.filter((part) => part.length > 1).map((part) => part.toLowerCase());
}

const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];
/** One-letter conjunctions and prepositions that are written with the next word. */
const ARABIC_PROCLITIC = /^[وفبلك](?=.{3})/u;

/**
 * The stem of a folded Arabic word without its article, and the stem that it has if its first letter is a word of its own
 * ("فاتصل": "فاتصل", "اتصل").
 * Source: the stemmer light10 of Larkey, Ballesteros and Connell, "Light stemming for Arabic information retrieval", 2007, where the
 * letter "و" is always removed.
 */
export function arabicForms(word: string): readonly string[] {
  const stem = lightStem(word);
  const withoutProclitic = lightStem(word.replace(ARABIC_PROCLITIC, ''));
  return stem === withoutProclitic ? [stem] : [stem, withoutProclitic];
}

function lightStem(word: string): string {
  const article = ARTICLES.find((prefix) => word.startsWith(prefix) && word.length >= prefix.length + 2);
  let stem = article === undefined ? word : word.slice(article.length);
  for (const suffix of SUFFIXES)
    if (stem.endsWith(suffix) && stem.length >= suffix.length + 2) stem = stem.slice(0, -suffix.length);
  return stem;
}

/** The article, conjunctions and prepositions, one or two of which are written with the next word. */
const HEBREW_PROCLITIC = /^[והבלכמש](?=.{3})/u;
const HEBREW_PROCLITICS = /^[ושכמ][הבלכמש](?=.{3})/u;

/** A folded Hebrew word, and what it is without the letters at its start that may be words of their own ("המפתח": "מפתח"). */
export function hebrewForms(word: string): readonly string[] {
  return [...new Set([word, word.replace(HEBREW_PROCLITIC, ''), word.replace(HEBREW_PROCLITICS, '')])];
}

const PARTICLES = new Set(Array.from('은는이가을를의에도로와과만'));

/**
 * The first syllable of a Korean word whose second and last one may be a particle ("책을": "책"). Longer words are found by the pairs of
 * syllables of their noun, whatever particle follows.
 */
export function nounOfOneSyllable(word: string): readonly string[] {
  return /^\p{Script=Hangul}{2}$/u.test(word) && PARTICLES.has(word[1]!) ? [word[0]!] : [];
}

/** The pairs of neighbouring characters of a word, or its only character. */
export function pairs(word: string): readonly string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}
