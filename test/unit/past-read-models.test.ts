import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OpenedCopy } from '../../src/past/open-copy.ts';
import { PastReadModels } from '../../src/past/past-read-models.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { PastQueries } from '../../src/queries/past.ts';

/** Copies whose fills end when the test says so. */
function copies() {
  const counting = { until: Promise.resolve() };
  const opened: { readonly position: number; isClosed: boolean; finish: () => void }[] = [];
  const past = new PastReadModels({ head: () => Promise.resolve(1_000) } as EventLog, ({ position }) => {
    let finish = (): void => undefined;
    const filled = new Promise<void>((resolve) => (finish = resolve));
    const one = { position, isClosed: false, finish };
    opened.push(one);
    const copy = {
      position,
      async count() {
        await counting.until;
        if (one.isClosed) throw new Error('the database was closed');
        return 1;
      },
      async advance(_: number, signal: AbortSignal) {
        const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await Promise.race([filled, aborted]);
        signal.throwIfAborted();
      },
    };
    return Promise.resolve({
      copy,
      queries: () => Promise.resolve({ position } as PastQueries),
      close: () => {
        one.isClosed = true;
        return Promise.resolve();
      },
    } as unknown as OpenedCopy);
  });
  const ask = (position: number, waitMs = 5_000) =>
    past.at({ tenant: 'acme', position, waitMs }, (queries) => Promise.resolve(queries.position));
  const settle = async () => {
    for (let n = 0; n < 20; n++) await turn();
  };
  return { past, opened, ask, settle, counting };
}

const memory = { tenant: 'acme', memoryId: 'm' };

describe('read models of the past', () => {
  it('[F3] are filled once for all who ask, one position at a time', async () => {
    const { past, opened, ask, settle } = copies();
    const answers = [ask(1), ask(1), ask(2)];
    await settle();
    expect(opened.map(({ position }) => position)).toEqual([1]);
    opened[0]!.finish();
    await settle();
    opened[1]!.finish();
    expect(await Promise.all(answers)).toEqual([1, 1, 2]);
    expect(opened).toHaveLength(2);
    expect(await past.count([memory])).toBe(2);
    expect(past.has({ tenant: 'acme', position: 1 })).toBe(true);
  });

  it('[F3] say how far they are, and are found later', async () => {
    const { opened, ask } = copies();
    await expect(ask(1, 10)).rejects.toMatchObject({ code: 'position-timeout', extra: { progress: 0 } });
    opened[0]!.finish();
    expect(await ask(1)).toBe(1);
    expect(opened).toHaveLength(1);
  });

  it('[F3] make room: the one that was not read for the longest time is closed', async () => {
    const { opened, ask, settle } = copies();
    for (const position of [1, 2, 3]) {
      const answer = ask(position);
      await settle();
      opened.at(-1)!.finish();
      expect(await answer).toBe(position);
    }
    await settle();
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false, false]);
  });

  it('[F3] refuse a third position while two are being filled, and all when the server stops', async () => {
    const { past, ask, settle } = copies();
    const waiting = Promise.allSettled([ask(1), ask(2)]);
    await settle();
    await expect(ask(3, 100)).rejects.toMatchObject({ code: 'unavailable' });
    await past.close();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('[F11] hold nothing if they are closed while they are counted', async () => {
    const { past, opened, ask, settle, counting } = copies();
    const ready = ask(1);
    await settle();
    opened[0]!.finish();
    await ready;
    let endWork = (): void => undefined;
    const work = past.privately('acme', async (open) => {
      await open({ position: 5, isTaken: () => true });
      await new Promise<void>((resolve) => (endWork = resolve));
    });
    await settle();
    expect(await past.count([memory])).toBe(2);
    let proceed = (): void => undefined;
    counting.until = new Promise((resolve) => (proceed = resolve));
    const counted = past.count([memory]);
    endWork();
    await work;
    await past.forget([memory]);
    proceed();
    expect(await counted).toBe(0);
  });

  it('[F11] are closed by an erasure, and filled again for those who wait', async () => {
    const { past, opened, ask, settle } = copies();
    const ready = ask(1);
    await settle();
    opened[0]!.finish();
    await ready;
    const waiting = ask(2);
    await settle();
    await past.forget([{ tenant: 'other', memoryId: 'm' }]);
    expect(opened.some(({ isClosed }) => isClosed)).toBe(false);
    await past.forget([memory]);
    expect(opened.slice(0, 2).map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(await past.count([memory])).toBe(0);
    await settle();
    opened[2]!.finish();
    expect(await waiting).toBe(2);
  });

  it('[F11] are refused for now if one erasure after another closes them', async () => {
    const { past, ask, settle } = copies();
    const refused = expect(ask(1)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    for (let erasures = 0; erasures < 3; erasures++) {
      await settle();
      await past.forget([memory]);
    }
    await refused;
  });

  it('[F11] close the copies of a what-if, which ends', async () => {
    const { past, opened, settle } = copies();
    const whatIf = past.privately('acme', async (open, signal) => {
      const { copy } = await open({ position: 1 });
      await copy.advance(1, signal, () => undefined);
    });
    const ended = expect(whatIf).rejects.toMatchObject({ name: 'CopyDropped' });
    await settle();
    expect(await past.count([memory])).toBe(1);
    await past.forget([memory]);
    expect(opened[0]!.isClosed).toBe(true);
    await ended;
  });
});
