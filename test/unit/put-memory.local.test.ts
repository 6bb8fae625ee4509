import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimHolder, claimStreamOf, takeClaim } from '../../src/commands/claims.ts';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import { create } from '../../src/commands/create-memory.ts';
import { externalIdClaims } from '../../src/commands/external-id-claims.ts';
import { putMemory, putMemoryInput } from '../../src/commands/put-memory.ts';
import { newMemoryKey, place, storeMemory, storeMemoryInput } from '../../src/commands/store-memory.ts';
import type { Placement } from '../../src/domain/access/visibility.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** Services of a process that stops at its nth append: before it is written, or after it. */
function servicesStoppingAt(append: number, when: 'before' | 'after'): CommandServices {
  let appends = 0;
  const { store, vault } = test;
  const appendUntilStopped = async (...args: Parameters<EventStore['append']>) => {
    const isLast = ++appends === append;
    if (isLast && when === 'before') throw new Error('stopped');
    const result = await store.append(...args);
    if (isLast) throw new Error('stopped');
    return result;
  };
  const stopping: Pick<EventStore, 'append' | 'load'> = {
    append: appendUntilStopped,
    load: (stream, from) => store.load(stream, from),
  };
  return commandServices({ store: stopping as EventStore, vault, clock: systemClock, newId });
}

const running = () => servicesStoppingAt(Infinity, 'before');

let commands = 0;

function context(isKeyed: boolean): CommandContext {
  const idempotency = { commandId: `put-${commands++}`, bodyHash: 'body', plainBodyHash: 'body' };
  const caller = { ...adminOf('acme'), user: 'ada' };
  return { caller, cause: 'user', correlationId: 'request-1', ...(isKeyed && { idempotency }) };
}

const input = (externalId: string, content: string) => ({ ...putMemoryInput.parse({ content }), externalId });

const adasOwn: Placement = { layer: 'user', scope: { user: 'ada' } };

async function memoryOf(externalId: string): Promise<string[]> {
  const { own } = externalIdClaims(test.vault, context(false).caller, adasOwn, externalId);
  const id = await claimHolder(running(), own);
  const events = await test.store.load(memoryStream('acme', id!));
  return events.map(({ event }) => event.type);
}

const stops = [true, false].flatMap((isKeyed) =>
  [1, 2, 3, 4].flatMap((append) => (['before', 'after'] as const).map((when) => ({ isKeyed, append, when }))),
);

describe('[A11] a process that stops in the middle of a PUT', () => {
  it.each(stops)('leaves nothing that blocks its repetition: %j', async ({ isKeyed, append, when }) => {
    const externalId = `stored ${isKeyed} ${append} ${when}`;
    const one = context(isKeyed);
    const put = (services: CommandServices) => putMemory(services, one, input(externalId, 'one'));
    await put(servicesStoppingAt(append, when)).catch(() => undefined);
    const again = await put(running());
    expect(await memoryOf(externalId)).toEqual(['MemoryStored']);
    expect(again.snapshot.revision).toBe(0);
    if (isKeyed) expect(again.isNew).toBe(true);

    const next = context(isKeyed);
    const replace = (services: CommandServices) => putMemory(services, next, input(externalId, 'two'));
    await replace(servicesStoppingAt(append, when)).catch((error: unknown) => error);
    const replaced = await replace(running());
    expect(replaced).toMatchObject({ isNew: false, snapshot: { revision: 1 } });
    expect(await memoryOf(externalId)).toEqual(['MemoryStored', 'MemoryUpdated']);
    expect((await put(running())).snapshot.revision).toBe(isKeyed ? 0 : 2);
  });

  it.each(stops)('leaves nothing that blocks other commands: %j', async ({ isKeyed, append, when }) => {
    const externalId = `left ${isKeyed} ${append} ${when}`;
    const first = context(isKeyed);
    await putMemory(servicesStoppingAt(append, when), first, input(externalId, 'one')).catch(() => undefined);
    const other = await putMemory(running(), context(isKeyed), input(externalId, 'two'));
    const { id } = other.snapshot.state.value;
    const late = await putMemory(running(), first, input(externalId, 'one'));
    expect(late.snapshot.state.value.id).toBe(id);
    expect((await memoryOf(externalId))[0]).toBe('MemoryStored');
    const body = storeMemoryInput.parse({ content: 'three', externalId });
    const refused = storeMemory(running(), context(true), body);
    await expect(refused).rejects.toMatchObject({ code: 'external-id-taken', extra: { memoryId: id } });
  });
});

describe('[A1] a personal memory that took its externalId in the whole tenant', () => {
  const externalId = 'of version 0.1';
  const body = { ...storeMemoryInput.parse({ content: 'old' }), externalId };
  const ofUser = (user: string): CommandContext => {
    const { caller, ...rest } = context(false);
    return { ...rest, caller: { ...caller, user } };
  };

  it('keeps it for its owner, and does not hide it from others', async () => {
    const [services, ada, bob] = [running(), ofUser('ada'), ofUser('bob')];
    const claim = claimStreamOf(test.vault, 'acme', 'externalId', externalId);
    const value = { ...place(ada.caller, body), id: newId(), claim };
    await takeClaim(services, ada, claim, value.id);
    await create(services, ada, {
      value,
      key: newMemoryKey(services, ada, body, value),
      inTurn: (append) => append(),
    });

    await expect(storeMemory(services, ada, body)).rejects.toMatchObject({
      code: 'external-id-taken',
      extra: { memoryId: value.id },
    });
    const replaced = await putMemory(services, ada, input(externalId, 'new'));
    expect(replaced).toMatchObject({
      isNew: false,
      snapshot: { revision: 1, state: { value: { id: value.id } } },
    });

    const first = await putMemory(services, bob, input(externalId, 'of bob'));
    expect(first.isNew).toBe(true);
    expect((await putMemory(services, bob, input(externalId, 'of bob'))).isNew).toBe(false);
    // In the shared layers it stays taken.
    await expect(storeMemory(services, bob, { ...body, layer: 'company' })).rejects.toMatchObject({
      code: 'external-id-taken',
    });
  });
});
