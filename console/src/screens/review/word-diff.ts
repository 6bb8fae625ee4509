/** A part of a text, and whether the other text lacks its words at this place. */
export interface Segment {
  readonly text: string;
  readonly differs: boolean;
}

/** Most words of each text for which the longest common subsequence is found; it takes memory for each pair of words. */
const maxAlignedWords = 2_000;

/** Marks the words in which two texts differ, in both of them. Joined, the segments of each side are its text. */
export function wordDiff(left: string, right: string): { left: Segment[]; right: Segment[] } {
  const [a, b] = [wordsOf(left), wordsOf(right)];
  const start = commonLength(a, b, (words, index) => words[index]!, 0);
  const end = commonLength(a, b, (words, index) => words[words.length - 1 - index]!, start);
  const [middleA, middleB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const common =
    Math.max(middleA.length, middleB.length) <= maxAlignedWords
      ? aligned(middleA, middleB)
      : shared(middleA, middleB);
  return {
    left: segmentsOf(a, start, common.left),
    right: segmentsOf(b, start, common.right),
  };
}

interface Common {
  /** For each word of the left text whether the right one has it. */
  readonly left: readonly boolean[];
  readonly right: readonly boolean[];
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** A word, such as `don't` or `07:00`, spaces, or one sign. */
const spacedWord =
  /[\p{L}\p{N}\p{M}_]+(?:(?:['’-](?=\p{L})|(?<=\p{N})[.:,](?=\p{N}))[\p{L}\p{N}\p{M}_]+)*|\s+|./gsu;

/** Words, spaces and signs. The segmenter knows words of languages that write no spaces, but is slow. */
function wordsOf(text: string): string[] {
  return withoutSpaces.test(text)
    ? Array.from(segmenter.segment(text), ({ segment }) => segment)
    : (text.match(spacedWord) ?? []);
}

/** How many words the texts have in common at one end, beyond those that were counted at the other. */
function commonLength(
  a: readonly string[],
  b: readonly string[],
  wordAt: (words: readonly string[], index: number) => string,
  counted: number,
): number {
  const most = Math.min(a.length, b.length) - counted;
  let length = 0;
  while (length < most && wordAt(a, length) === wordAt(b, length)) length += 1;
  return length;
}

/** The longest common subsequence of two texts. */
function aligned(a: readonly string[], b: readonly string[]): Common {
  const width = b.length + 1;
  // lengths[i * width + j]: that of the texts from word i and word j on.
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const left = a.map(() => false);
  const right = b.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length;)
    if (a[i] === b[j]) {
      left[i] = right[j] = true;
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1;
    else j += 1;
  return { left, right };
}

/** For long texts: which words occur anywhere in the other one. */
function shared(a: readonly string[], b: readonly string[]): Common {
  const [inA, inB] = [new Set(a), new Set(b)];
  return { left: a.map((word) => inB.has(word)), right: b.map((word) => inA.has(word)) };
}

/** Joins neighbours of the same kind. Spaces and signs between two words that differ belong to them. */
function segmentsOf(words: readonly string[], start: number, common: readonly boolean[]): Segment[] {
  const differs = words.map((_, index) => common[index - start] === false);
  const isWord = words.map((word) => /[\p{L}\p{N}]/u.test(word));
  for (let index = 1; index < words.length - 1; index += 1)
    if (!isWord[index] && differs[index - 1] && differs[index + 1]) differs[index] = true;
  const segments: Segment[] = [];
  for (const [index, text] of words.entries()) {
    const last = segments.at(-1);
    if (last?.differs === differs[index])
      segments[segments.length - 1] = { ...last!, text: last!.text + text };
    else segments.push({ text, differs: differs[index]! });
  }
  return segments;
}

/** The beginning of a text in segments, at most this many characters. */
export function beginningOf(segments: readonly Segment[], characters: number): Segment[] {
  const shown: Segment[] = [];
  let left = characters;
  for (const { text, differs } of segments) {
    if (left <= 0) break;
    shown.push({ text: text.slice(0, left), differs });
    left -= text.length;
  }
  return shown;
}
