import { expect, it } from 'vitest';
import type { CommandServices } from '../../src/commands/context.ts';
import { FactQueue, type RetrievalFact } from '../../src/commands/record-facts.ts';
import { adminOf } from '../support/admin.ts';

const search: RetrievalFact['events'][number] = {
  type: 'SearchPerformed',
  data: {
    searchId: 's',
    topK: 10,
    threshold: 0.7,
    order: 'precedence',
    readPosition: 1,
    results: [],
    warnings: [],
    durationMs: 1,
    route: 'standard',
    query: 'fog',
    filter: { externalId: { in: ['x'.repeat(1_000)] } },
  },
};
const access: RetrievalFact['events'][number] = {
  type: 'MemoriesAccessed',
  data: { searchId: 's', memoryIds: ['m'], via: 'search' },
} as never;

/** Records facts in a log that limits the characters of one append, as the event store limits its bytes. */
async function recordedIn(most: number) {
  const appended: { type: string; data: object }[] = [];
  const dropped: number[] = [];
  const services = {
    store: {
      load: async () => [],
      async append(_stream: string, _expected: unknown, events: typeof appended) {
        if (JSON.stringify(events).length > most) throw new RangeError('over the limit of one append');
        appended.push(...events);
      },
    },
    vault: { pseudonym: () => 'subject' },
  } as unknown as CommandServices;
  const queue = new FactQueue(services, { onDropped: (count) => dropped.push(count) });
  const context = { caller: adminOf('acme'), cause: 'user', correlationId: 'r' } as const;
  queue.record({ id: 's', events: [search, access], context });
  await queue.flush();
  return { appended, dropped };
}

it('[A9] facts that are too large for one append are written in a shorter form', async () => {
  const { appended, dropped } = await recordedIn(1_000);
  expect(appended.map(({ type }) => type)).toEqual(['SearchPerformed', 'MemoriesAccessed']);
  expect(appended[0]!.data).toMatchObject({ query: 'fog', warnings: ['abridged'] });
  expect(appended[0]!.data).not.toHaveProperty('filter');
  expect(dropped).toEqual([]);
});

it('[A9] facts that are too large even in the shorter form are dropped and counted', async () => {
  const { appended, dropped } = await recordedIn(100);
  expect(appended).toEqual([]);
  expect(dropped).toEqual([2]);
});
