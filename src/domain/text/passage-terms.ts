import { completed, type Steps } from '../steps.ts';
import { passageSteps, passageText } from './passages.ts';
import { termCounts } from './tokens.ts';

/** The terms of the passages of a long text, as they are stored. */
export interface PassageTerms {
  /** For each term the passages that contain it and how often: `{"green":"0:1 3:2"}`. Passages are numbered from 0. */
  readonly places: string;
  /** Number of terms of each passage: `120 98 77`. */
  readonly lengths: string;
}

/** Occurrences of one term in the passages of a text. */
export interface Places {
  readonly passages: readonly number[];
  readonly counts: readonly number[];
}

/** The terms of the passages of a text, counted. */
export interface CountedPassages {
  readonly places: ReadonlyMap<string, Places>;
  /** Number of terms of each passage. */
  readonly lengths: readonly number[];
}

/** Counts the terms of each passage; undefined for a text that is not divided. Linear in the length of the text. */
export function countPassages(text: string): CountedPassages | undefined {
  return completed(countPassageSteps(text));
}

/** The same in steps, for a text of a megabyte. */
export function* countPassageSteps(text: string): Steps<CountedPassages | undefined> {
  const passages = yield* passageSteps(text);
  return yield* countTextSteps(passages.map((passage) => passageText(text, passage)));
}

/** Counts the terms of passages by their texts, in steps; undefined if there is none. */
export function* countTextSteps(passages: readonly string[]): Steps<CountedPassages | undefined> {
  if (passages.length === 0) return undefined;
  const places = new Map<string, { passages: number[]; counts: number[] }>();
  const lengths: number[] = [];
  for (const [n, passage] of passages.entries()) {
    const { counts, length } = termCounts(passage);
    for (const [term, count] of counts) {
      const known = places.get(term);
      if (known) {
        known.passages.push(n);
        known.counts.push(count);
      } else places.set(term, { passages: [n], counts: [count] });
    }
    lengths.push(length);
    yield;
  }
  return { places, lengths };
}

/** Writes them as they are stored. Terms contain no characters that JSON escapes. */
export function passageTermsOf({ places, lengths }: CountedPassages): PassageTerms {
  const entries = Array.from(places, ([term, { passages, counts }]) => {
    const list = passages.map((passage, at) => `${passage}:${counts[at]!}`);
    return `"${term}":"${list.join(' ')}"`;
  });
  return { places: `{${entries.join(',')}}`, lengths: lengths.join(' ') };
}

/** Reads one value of `PassageTerms.places`: `0:1 3:2`. */
export function placesOf(entries: string): Places {
  const [passages, counts]: [number[], number[]] = [[], []];
  for (const entry of entries.split(' ')) {
    const colon = entry.indexOf(':');
    passages.push(Number(entry.slice(0, colon)));
    counts.push(Number(entry.slice(colon + 1)));
  }
  return { passages, counts };
}

/** Reads `PassageTerms.lengths`. */
export function lengthsOf(lengths: string): readonly number[] {
  return lengths.split(' ').map(Number);
}

/** Calls `visit` for each term of `PassageTerms.places`, without parsing the JSON, which takes several times as long. */
export function forEachPlaces(places: string, visit: (term: string, entries: string) => void): void {
  for (let from = places.indexOf('"'); from >= 0; from = places.indexOf('"', from)) {
    const end = places.indexOf('"', from + 1);
    const start = places.indexOf('"', end + 1) + 1;
    const after = places.indexOf('"', start);
    visit(places.slice(from + 1, end), places.slice(start, after));
    from = after + 1;
  }
}
