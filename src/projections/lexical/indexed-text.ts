import type { MemoryEvent } from '../../domain/memory/events.ts';
import {
  joinedText,
  REPRESENTATION_MARK,
  separatedText,
  type SearchedText,
} from '../../domain/memory/searched-text.ts';
import { searchedPassageTermSteps, searchedTermSteps } from '../../domain/memory/searched-terms.ts';
import { passageTermsOf } from '../../domain/text/passage-terms.ts';
import type { Steps } from '../../domain/steps.ts';
import { termCountsToJson } from '../../domain/text/term-counts-json.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { stepsInSlices } from '../each-in-slices.ts';
import { memoryKey, memoryOf } from '../memory-rows.ts';

/**
 * An indexed text: content and representations of a memory (`joinedText`), the JSON of their distinct terms with their counts, and the total
 * number of terms; if the content is long or there are representations also the terms of the passages (`PassageTerms`).
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

/** Reads the indexed texts that memories have before these events, by `memoryKey`; with `containing`, only those that contain it. */
export type ReadBodies = (
  facts: readonly LoadedEvent<MemoryEvent>[],
  containing?: string,
) => Promise<ReadonlyMap<string, string>>;

export async function analyse(
  events: readonly LoadedEvent<MemoryEvent>[],
  readBodies: ReadBodies,
): Promise<IndexedTexts> {
  const texts = new Map<number, IndexedText>();
  const changed = textsAfter(events, await textsBefore(events, readBodies));
  await stepsInSlices(changed, function* ([position, text]) {
    texts.set(position, yield* indexed(text));
  });
  return texts;
}

/** What an event says of a text; undefined if it says nothing. */
function saidBy({ event, erased }: LoadedEvent<MemoryEvent>): Partial<SearchedText> | undefined {
  if (erased || (event.type !== 'MemoryStored' && event.type !== 'MemoryUpdated')) return undefined;
  const { content, representations } = event.data;
  if (content === undefined && representations === undefined) return undefined;
  return { ...(content !== undefined && { content }), ...(representations && { representations }) };
}

/** The texts that events change in part. Most memories have no representations, and their texts are not read. */
async function textsBefore(
  events: readonly LoadedEvent<MemoryEvent>[],
  readBodies: ReadBodies,
): Promise<ReadonlyMap<string, SearchedText>> {
  const lacking = (field: keyof SearchedText) =>
    events.filter((event) => {
      const said = saidBy(event);
      return said !== undefined && said[field] === undefined;
    });
  const [withoutContent, withoutOthers] = [lacking('content'), lacking('representations')];
  const bodies = [
    ...(withoutOthers.length === 0 ? [] : await readBodies(withoutOthers, REPRESENTATION_MARK)),
    ...(withoutContent.length === 0 ? [] : await readBodies(withoutContent)),
  ];
  return new Map(bodies.map(([key, body]) => [key, separatedText(body)]));
}

function textsAfter(
  events: readonly LoadedEvent<MemoryEvent>[],
  before: ReadonlyMap<string, SearchedText>,
): (readonly [position: number, text: SearchedText])[] {
  const current = new Map(before);
  return events.flatMap((event) => {
    const said = saidBy(event);
    if (!said) return [];
    const key = memoryKey(memoryOf(event));
    const { content, representations = {} } = { ...current.get(key), ...said };
    // A memory that was erased meanwhile has no content to go with a representation.
    if (content === undefined) return [];
    const text = { content, representations };
    current.set(key, text);
    return [[event.position, text] as const];
  });
}

function* indexed(text: SearchedText): Steps<IndexedText> {
  const { counts, length } = yield* searchedTermSteps(text);
  const counted = yield* searchedPassageTermSteps(text);
  const passages = counted && passageTermsOf(counted);
  return {
    body: joinedText(text),
    counts: termCountsToJson(counts),
    length,
    passage_terms: passages?.places,
    passage_lengths: passages?.lengths,
  };
}
