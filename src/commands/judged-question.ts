import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { FeedbackEvent, RetrievalEvent } from '../domain/retrieval/events.ts';
import { readSearchId } from '../domain/retrieval/search-id.ts';
import { feedbackStream, retrievalStream } from '../domain/streams.ts';
import { changeStream } from './change-stream.ts';
import { unknownMemory } from './change-memory.ts';
import { callerKey, type CommandContext, type CommandServices } from './context.ts';

/** How long to wait for the record of a search, which is written shortly after its answer was sent. */
const recordedWithinMs = 5_000;
const pollMs = 50;

/** Throws `not-found` unless the search is one of this caller's. Returns its id without the signature. */
export function assertOwnSearch(
  { vault }: CommandServices,
  { caller }: CommandContext,
  searchId: string,
): string {
  const id = readSearchId(vault, caller, searchId);
  if (id === undefined) throw unknownSearch('is unknown');
  return id;
}

/**
 * Records the question of a search in the stream of a memory's feedback, once. The judgement that follows it in the stream counts for
 * similar questions. Throws `not-found` if the search was not recorded or was erased.
 */
export async function recordQuestion(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  searchId: string,
): Promise<void> {
  const { caller } = context;
  const query = await queryOf(services, context, assertOwnSearch(services, context, searchId));
  const { idempotency: _, reason: __, ...own } = context;
  await changeStream<FeedbackEvent>(services, own, {
    stream: feedbackStream(caller.tenant, memoryId),
    memoryId,
    decide: (loaded) => {
      assertNotErased(loaded);
      const isKnown = loaded.some(
        ({ event }) => event.type === 'QuestionJudged' && event.data.searchId === searchId,
      );
      return isKnown ? [] : [{ type: 'QuestionJudged', data: { memoryId, searchId, query } }];
    },
    key: () => callerKey(services.vault, caller),
  });
}

/** Throws `not-found` if the feedback, and so the memory, was erased. */
export function assertNotErased(loaded: readonly { readonly event: FeedbackEvent }[]): void {
  if (loaded.at(-1)?.event.type === 'FeedbackErased') throw unknownMemory();
}

async function queryOf({ store }: CommandServices, { caller }: CommandContext, id: string): Promise<string> {
  const deadline = performance.now() + recordedWithinMs;
  for (;;) {
    const events = await store.load<RetrievalEvent>(retrievalStream(caller.tenant, id));
    const performed = events.find(({ event }) => event.type === 'SearchPerformed');
    if (performed?.event.type === 'SearchPerformed' && !performed.erased) return performed.event.data.query;
    if (performed) throw unknownSearch('was erased');
    if (performance.now() >= deadline) throw unknownSearch('was not recorded');
    await sleep(pollMs);
  }
}

function unknownSearch(message: string): Problem {
  return new Problem('not-found', 'no such search of this caller', {
    errors: [{ path: 'searchId', message }],
  });
}
