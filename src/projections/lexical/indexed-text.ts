import type { MemoryEvent } from '../../domain/memory/events.ts';
import { countPassages, passageTermsOf } from '../../domain/text/passage-terms.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { termCountsToJson } from '../../domain/text/term-counts-json.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { eachInSlices } from '../each-in-slices.ts';

/**
 * An indexed text: the JSON of its distinct terms with their counts, and the total number of terms; for a long text also the terms of
 * its passages (`PassageTerms`).
 */
export interface IndexedText {
  readonly body: string;
  readonly counts: string;
  readonly length: number;
  readonly passage_terms: string | undefined;
  readonly passage_lengths: string | undefined;
}

/** The texts of a batch, by the position of their event. */
export type IndexedTexts = ReadonlyMap<number, IndexedText>;

export async function analyse(events: readonly LoadedEvent<MemoryEvent>[]): Promise<IndexedTexts> {
  const texts = new Map<number, IndexedText>();
  await eachInSlices(textsOf(events), ([position, text]) => texts.set(position, indexed(text)));
  return texts;
}

function textsOf(events: readonly LoadedEvent<MemoryEvent>[]): (readonly [position: number, text: string])[] {
  return events.flatMap(({ event, position, erased }) => {
    if (erased || (event.type !== 'MemoryStored' && event.type !== 'MemoryUpdated')) return [];
    return event.data.content === undefined ? [] : [[position, event.data.content] as const];
  });
}

function indexed(body: string): IndexedText {
  const { counts, length } = termCounts(body);
  const counted = countPassages(body);
  const passages = counted && passageTermsOf(counted);
  return {
    body,
    counts: termCountsToJson(counts),
    length,
    passage_terms: passages?.places,
    passage_lengths: passages?.lengths,
  };
}
