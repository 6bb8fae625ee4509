import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import { eraseMemory } from '../../src/commands/erase-memory.ts';
import { giveFeedback } from '../../src/commands/give-feedback.ts';
import { storeMemory, storeMemoryInput } from '../../src/commands/store-memory.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import { feedbackStream, retrievalStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, testContext, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

const context: CommandContext = {
  caller: { ...adminOf('acme'), user: 'ada' },
  cause: 'user',
  correlationId: 'request-1',
};

function services(append: EventStore['append'] = (...args) => test.store.append(...args)): CommandServices {
  const store: Pick<EventStore, 'append' | 'load' | 'loadOne' | 'open' | 'log'> = {
    append,
    log: test.store.log,
    loadOne: (...args) => test.store.loadOne(...args),
    open: (...args) => test.store.open(...args),
    load: (stream, from) => test.store.load(stream, from),
  };
  return commandServices({ store: store as EventStore, vault: test.vault, clock: systemClock, newId });
}

async function recordedSearch(): Promise<string> {
  const id = newId();
  const searchId = signSearchId(test.vault, context.caller, id);
  const data = {
    searchId,
    topK: 10,
    order: 'relevance' as const,
    readPosition: 0,
    results: [],
    warnings: [],
    durationMs: 1,
    route: 'standard' as const,
    query: 'what is hidden?',
  };
  await test.store.append(
    retrievalStream('acme', id),
    'any',
    [{ type: 'SearchPerformed', data }],
    testContext({ key: { tenant: 'acme', id: 'retrieval.ada', subject: 'ada' } }),
  );
  return searchId;
}

it('[F6] feedback that is given while its memory is erased leaves no question', async () => {
  const { snapshot } = await storeMemory(services(), context, storeMemoryInput.parse({ content: 'secret' }));
  const { id } = snapshot.state.value;
  const searchId = await recordedSearch();
  let isErased = false;
  // The erasure finds no feedback: the question is not recorded yet.
  const racing = services(async (...args) => {
    if (!isErased) {
      isErased = true;
      await eraseMemory(services(), context, id);
    }
    return test.store.append(...args);
  });
  await expect(giveFeedback(racing, context, id, { kind: 'helpful', searchId })).rejects.toMatchObject({
    code: 'not-found',
  });
  const events = await test.store.load(feedbackStream('acme', id));
  expect(events.map(({ event }) => event.type)).toEqual(['QuestionJudged', 'FeedbackErased']);
});
