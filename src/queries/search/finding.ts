import type { ReadView } from '../read-models.ts';
import type { Degradation } from './corpus.ts';
import type { Scored } from './shortlist.ts';

export interface Warning {
  readonly code: 'partial' | 'timed-out' | 'below-threshold' | 'indexing';
  readonly detail: string;
}

/** What a search found, and from what. */
export interface Finding {
  /** Best first. */
  readonly best: readonly Scored[];
  /** What the read models had reached, or the position that was asked about. */
  readonly position: number;
  readonly warnings: readonly Warning[];
  /** Id of the model that compared meaning. */
  readonly embeddingModel?: string | undefined;
  /** The read models that were searched. */
  readonly view: ReadView;
}

export function warningsOf({
  meaning,
  words,
  wordWeights,
  unembedded,
  indexing,
  models = [],
}: Degradation): readonly Warning[] {
  const details = [
    meaning && 'meaning could not be compared just now: these results match by words alone',
    words && 'words could not be looked for just now: these results were found by meaning alone',
    unembedded &&
      'the embedding model does not take the texts of some memories just now: those are found by their words alone',
    ...models.map(
      (model) =>
        `the model ${model} of a space cannot be asked just now: its memories are compared by the model of the server`,
    ),
    wordWeights && 'how rare each word is could not be looked up just now: all count the same',
  ];
  const detail =
    'passages of long memories are still being embedded: their words are found, not yet their meaning';
  return [
    ...details.flatMap((detail) => (detail ? [{ code: 'partial' as const, detail }] : [])),
    ...(indexing ? [{ code: 'indexing' as const, detail }] : []),
  ];
}
