import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { eraseMemory } from '../../src/commands/erase-memory.ts';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import type { StoreResult } from '../../src/commands/create-memory.ts';
import { storeMemory, storeMemoryInput } from '../../src/commands/store-memory.ts';
import {
  affirmationsAfter,
  decideAffirmation,
  type AffirmationEvent,
} from '../../src/domain/memory/affirmation.ts';
import { affirmationsStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

const context = (commandId?: string): CommandContext => ({
  caller: { ...adminOf('acme'), user: 'ada' },
  cause: 'user',
  correlationId: 'request-1',
  ...(commandId !== undefined && {
    idempotency: { commandId, bodyHash: commandId, plainBodyHash: commandId },
  }),
});

/** Stores on a log that appends claims in the same transaction, or one after the other as KurrentDB does. */
function servicesOf(
  takesClaims: boolean,
  onAppend: (stream: string) => void = () => undefined,
): CommandServices {
  const { log, vault } = test;
  const watched: EventLog = {
    logId: log.logId,
    takesKeys: takesClaims,
    takesClaims,
    append: (stream, ...rest) => {
      onAppend(stream);
      return log.append(stream, ...rest);
    },
    readStream: (...args) => log.readStream(...args),
    readAll: (options) => log.readAll(options),
    head: () => log.head(),
    positionAt: (time) => log.positionAt(time),
    subscribe: (options) => log.subscribe(options),
    close: () => log.close(),
  };
  return commandServices({ store: new SealedEventStore(watched, vault), vault, clock: systemClock, newId });
}

const tell = (services: CommandServices, content: string, commandId?: string): Promise<StoreResult> =>
  storeMemory(services, context(commandId), storeMemoryInput.parse({ content }));

const idOf = ({ snapshot }: StoreResult) => snapshot.state.value.id;

describe.each([true, false])('a fact, with claims in one transaction: %s', (takesClaims) => {
  const text = (what: string) => `${what} (${takesClaims})`;

  it('[A20] told by many writers at once is one memory, told by all', async () => {
    const services = servicesOf(takesClaims);
    const results = await Promise.all(Array.from({ length: 12 }, () => tell(services, text('tea at 80'))));
    expect(new Set(results.map(idOf)).size).toBe(1);
    const counts = results.map(({ affirmed }) => affirmed?.affirmations ?? 0);
    expect(counts.sort((left, right) => left - right)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });

  it('[A20] whose process stopped at any append is stored once, also by the repetition of the command', async () => {
    for (const stopAt of [1, 2, 3]) {
      const content = text(`milk at ${stopAt}`);
      let appends = 0;
      const stopping = servicesOf(takesClaims, () => {
        if (++appends === stopAt) throw new Error('stopped');
      });
      await tell(stopping, content, content).catch((error: Error) => expect(error.message).toBe('stopped'));
      const services = servicesOf(takesClaims);
      const other = await tell(services, content);
      const repeated = await tell(services, content, content);
      expect(idOf(repeated)).toBe(idOf(other));
      const last = await tell(services, content);
      expect(idOf(last)).toBe(idOf(other));
      expect(last.affirmed).toMatchObject({ affirmations: 2 });
      const replay = await tell(services, content, content);
      expect(replay.replayed).toBe(true);
      expect(replay.affirmed).toEqual(repeated.affirmed);
    }
  });
});

it('[A20] affirmed by a command that stopped before it recorded its answer counts once', async () => {
  const services = servicesOf(true);
  await tell(services, 'sugar');
  let appends = 0;
  // The claim of the command, the refused store, the affirmation, the record.
  const stopping = servicesOf(true, () => {
    if (++appends === 4) throw new Error('stopped');
  });
  await expect(tell(stopping, 'sugar', 'sugar-1')).rejects.toThrow('stopped');
  for (let n = 0; n < 60; n++) await tell(services, 'sugar');
  expect((await tell(services, 'sugar', 'sugar-1')).affirmed).toMatchObject({ affirmations: 1 });
  expect((await tell(services, 'sugar')).affirmed).toMatchObject({ affirmations: 62 });
});

it('[A20] whose memory is erased between its load and its affirmation is stored again', async () => {
  const services = servicesOf(true);
  const first = await tell(services, 'honey');
  const { store } = services;
  let isErased = false;
  const erasing = Object.assign(Object.create(store) as EventStore, {
    append: async (...args: Parameters<EventStore['append']>) => {
      if (!isErased && args[0] === affirmationsStream('acme', idOf(first))) {
        isErased = true;
        await eraseMemory(services, context(), idOf(first));
      }
      return store.append(...args);
    },
    load: store.load.bind(store),
    loadLast: store.loadLast.bind(store),
    loadOne: store.loadOne.bind(store),
  });
  const told = await tell({ ...services, store: erasing }, 'honey');
  expect(isErased).toBe(true);
  expect(told.affirmed).toBeUndefined();
  expect(idOf(told)).not.toBe(idOf(first));
});

it('[A20] told 10,000 times before takes no longer than one that was told once', async () => {
  const services = servicesOf(true);
  const timed = async (content: string) => {
    const start = performance.now();
    for (let n = 0; n < 10; n++) await tell(services, content);
    return performance.now() - start;
  };
  const id = idOf(await tell(services, 'salt'));
  await tell(services, 'pepper');
  const affirmations: AffirmationEvent[] = [];
  const told = '2024-01-01T00:00:00.000Z';
  for (let n = 0; n < 10_000; n++)
    affirmations.push(decideAffirmation({ memoryId: id, told }, affirmationsAfter(affirmations.at(-1))));
  const origin = {
    tenant: 'acme',
    actor: 'user:ada',
    principal: 'key:1',
    cause: 'user',
    correlationId: 'r',
  } as const;
  await services.store.append(affirmationsStream('acme', id), 'noStream', affirmations, origin);
  await timed('pepper');
  const once = await timed('pepper');
  expect(await timed('salt')).toBeLessThan(3 * once + 200);
  expect((await tell(services, 'salt')).affirmed).toMatchObject({ affirmations: 10_011 });
});
