import type { MemoryEvent } from '../../domain/memory/events.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { termCountsToJson } from '../../domain/text/term-counts-json.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { inTurns } from '../turns.ts';

/** A text as it is indexed: each distinct term with its occurrences, as they are written, and how many terms there are in all. */
export interface IndexedText {
  readonly body: string;
  readonly counts: string;
  readonly length: number;
}

/** The texts of a batch, by the position of the event that brings them. */
export type IndexedTexts = ReadonlyMap<number, IndexedText>;

/** The texts alone, without their terms: what a lexical index takes, which finds words of its own. */
export function unanalysed(events: readonly LoadedEvent<MemoryEvent>[]): IndexedTexts {
  return new Map(textsOf(events).map(([position, body]) => [position, { body, counts: '{}', length: 0 }]));
}

export async function analyse(events: readonly LoadedEvent<MemoryEvent>[]): Promise<IndexedTexts> {
  const texts = new Map<number, IndexedText>();
  await inTurns(textsOf(events), ([position, text]) => texts.set(position, indexed(text)));
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
  return { body, counts: termCountsToJson(counts), length };
}
