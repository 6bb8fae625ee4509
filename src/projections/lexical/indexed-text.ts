import type { MemoryEvent } from '../../domain/memory/events.ts';
import { countPassageSteps, passageTermsOf } from '../../domain/text/passage-terms.ts';
import { termCountSteps } from '../../domain/text/tokens.ts';
import type { Steps } from '../../domain/steps.ts';
import { termCountsToJson } from '../../domain/text/term-counts-json.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { stepsInSlices } from '../each-in-slices.ts';

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
  await stepsInSlices(textsOf(events), function* ([position, text]) {
    texts.set(position, yield* indexed(text));
  });
  return texts;
}

function textsOf(events: readonly LoadedEvent<MemoryEvent>[]): (readonly [position: number, text: string])[] {
  return events.flatMap(({ event, position, erased }) => {
    if (erased || (event.type !== 'MemoryStored' && event.type !== 'MemoryUpdated')) return [];
    return event.data.content === undefined ? [] : [[position, event.data.content] as const];
  });
}

function* indexed(body: string): Steps<IndexedText> {
  const { counts, length } = yield* termCountSteps(body);
  const counted = yield* countPassageSteps(body);
  const passages = counted && passageTermsOf(counted);
  return {
    body,
    counts: termCountsToJson(counts),
    length,
    passage_terms: passages?.places,
    passage_lengths: passages?.lengths,
  };
}
