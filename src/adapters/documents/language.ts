import { detectAll } from 'tinyld';

/** Below this many letters, words that several languages share decide. */
const minLetters = 24;
const minIdeographs = 4;
/** Read of a text: as many parts of this length. One language must win most of the parts. */
const partLength = 240;
const maxParts = 8;
const minShare = 0.6;
/** How far the best language of one part must be ahead of the next, and how sure the detector must be of it. */
const minLead = 1.5;
const minAccuracy = 0.05;

/** The main language of a text as a BCP 47 code, or undefined if the text is too short or the language is not certain. */
export function languageOf(text: string): string | undefined {
  const words = text.slice(0, 200_000).replaceAll(/https?:\/\/\S+|\S+@\S+|`[^`\n]*`|\\?[|*_#>~]+/g, ' ');
  const letters = count(words, /\p{L}/gu);
  const byScript = languageOfScript(words, letters);
  if (byScript !== undefined) return byScript;
  if (letters < minLetters) return undefined;
  const votes = new Map<string, number>();
  const parts = partsOf(words);
  const needed = parts.length * minShare;
  for (const [index, part] of parts.entries()) {
    const [best, next] = detectAll(part);
    if (best && best.accuracy >= minAccuracy && best.accuracy >= (next?.accuracy ?? 0) * minLead) {
      const won = (votes.get(best.lang) ?? 0) + 1;
      if (won >= needed) return best.lang;
      votes.set(best.lang, won);
    }
    // The detector is the slowest step for a file of prose, so it stops once no language can win any more.
    const left = parts.length - index - 1;
    if (Math.max(0, ...votes.values()) + left < needed) return undefined;
  }
  return undefined;
}

/** Kana stand in Japanese alone, and Hangul in Korean; ideographs without kana are Chinese. */
function languageOfScript(text: string, letters: number): string | undefined {
  const kana = count(text, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const hangul = count(text, /\p{Script=Hangul}/gu);
  const ideographs = count(text, /\p{Script=Han}/gu);
  // One ideograph or syllable says about as much as three letters.
  const share = (characters: number): boolean => characters > (letters - characters) / 3;
  if (kana + ideographs >= minIdeographs && kana * 10 >= ideographs && share(kana + ideographs)) return 'ja';
  if (hangul >= minIdeographs && share(hangul)) return 'ko';
  return ideographs >= minIdeographs && share(ideographs) ? 'zh' : undefined;
}

/** Parts from all over the text, so that a preface in another language does not decide. Cut between words. */
function partsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const parts: string[] = [];
  let part = '';
  for (const word of words) {
    part += `${word.slice(0, partLength)} `;
    if (part.length < partLength) continue;
    parts.push(part);
    part = '';
  }
  if (parts.length === 0 || count(part, /\p{L}/gu) > partLength / 2) parts.push(part);
  const step = Math.max(1, parts.length / maxParts);
  return Array.from(
    { length: Math.min(parts.length, maxParts) },
    (_, index) => parts[Math.floor(index * step)] ?? '',
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
