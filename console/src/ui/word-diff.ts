/** A part of two texts: in both, or in one of them alone. */
export interface DiffPart {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Texts with more differences are shown as replaced as a whole, because comparing them would take long. */
const maxDifferences = 600;

/** The words that were added and removed, by the shortest edit script (Myers, "An O(ND) Difference Algorithm", 1986). */
export function diffWords(before: string, after: string): readonly DiffPart[] {
  const [old, young] = [tokensOf(before), tokensOf(after)];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < young.length - start &&
    old[old.length - 1 - end] === young[young.length - 1 - end]
  )
    end++;
  return joined([
    ...old.slice(0, start).map((text) => ({ kind: 'same', text }) as const),
    ...edits(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...old.slice(old.length - end).map((text) => ({ kind: 'same', text }) as const),
  ]);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** A word, such as `don't` or `07:00`, spaces, or one sign. */
const spacedWord =
  /[\p{L}\p{N}\p{M}_]+(?:(?:['’-](?=\p{L})|(?<=\p{N})[.:,](?=\p{N}))[\p{L}\p{N}\p{M}_]+)*|\s+|./gsu;

/** Words, spaces and signs. The segmenter is slow, so it only splits languages that write no spaces between words. */
function tokensOf(text: string): readonly string[] {
  return withoutSpaces.test(text)
    ? Array.from(segmenter.segment(text), ({ segment }) => segment)
    : (text.match(spacedWord) ?? []);
}

function edits(old: readonly string[], young: readonly string[]): readonly DiffPart[] {
  const reached = furthest(old, young);
  if (!reached)
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: young.join('') },
    ];
  const parts: DiffPart[] = [];
  let [x, y] = [old.length, young.length];
  for (let differences = reached.length - 1; x > 0 || y > 0; differences--) {
    const before = reached[differences - 1] ?? new Map<number, number>();
    const diagonal = x - y;
    const isAdded = cameDown(before, diagonal, differences);
    const from = differences === 0 ? 0 : before.get(diagonal + (isAdded ? 1 : -1))!;
    const beginning = differences === 0 ? 0 : from + (isAdded ? 0 : 1);
    while (x > beginning) parts.push({ kind: 'same', text: old[(y--, --x)]! });
    if (differences === 0) break;
    if (isAdded) parts.push({ kind: 'added', text: young[--y]! });
    else parts.push({ kind: 'removed', text: old[--x]! });
  }
  return parts.toReversed();
}

/** How far each diagonal is reached with 0, 1, 2, … differences; undefined if there are too many. */
function furthest(
  old: readonly string[],
  young: readonly string[],
): readonly ReadonlyMap<number, number>[] | undefined {
  const all: Map<number, number>[] = [];
  for (let differences = 0; differences <= maxDifferences; differences++) {
    const before = all.at(-1) ?? new Map<number, number>();
    const reached = new Map<number, number>();
    all.push(reached);
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x =
        differences === 0
          ? 0
          : cameDown(before, diagonal, differences)
            ? before.get(diagonal + 1)!
            : before.get(diagonal - 1)! + 1;
      while (x < old.length && x - diagonal < young.length && old[x] === young[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= old.length && x - diagonal >= young.length) return all;
    }
  }
  return undefined;
}

/** Whether the furthest point of a diagonal comes from the one above it, by an added word. */
const cameDown = (before: ReadonlyMap<number, number>, diagonal: number, differences: number): boolean =>
  diagonal === -differences ||
  (diagonal !== differences && (before.get(diagonal - 1) ?? -1) < (before.get(diagonal + 1) ?? -1));

/** Neighbours of the same kind become one part. */
function joined(parts: readonly DiffPart[]): readonly DiffPart[] {
  const result: DiffPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) result[result.length - 1] = { ...last, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
