import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carryOutOnce } from '../../src/commands/answer-once.ts';
import type { CommandContext, CommandServices } from '../../src/commands/context.ts';
import { Problem } from '../../src/domain/problems.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
let services: CommandServices;

beforeAll(async () => {
  test = await openTestStore();
  services = test as unknown as CommandServices;
});

afterAll(() => test.close());

let keys = 0;

/** A command under a key of its own; `body` sent again with it. */
function command(): (body?: string) => CommandContext {
  const commandId = `command-${keys++}`;
  return (body = 'body') => ({
    caller: adminOf('acme'),
    cause: 'user',
    correlationId: 'request-1',
    idempotency: { commandId, bodyHash: body, plainBodyHash: body },
  });
}

const refusal = new Problem('rebuild-not-ready', 'not now');

describe('[A11] an act that is decided once', () => {
  it('is decided anew where it was refused, also with another body', async () => {
    const sent = command();
    const refused = carryOutOnce(
      services,
      sent('one'),
      async () => ({ to: 1 }),
      () => Promise.reject(refusal),
    );
    await expect(refused).rejects.toBe(refusal);
    const carryOut = (to: number) => () =>
      carryOutOnce(
        services,
        sent('two'),
        async () => ({ to }),
        async (plan) => ({ done: plan.to }),
      );
    expect(await carryOut(2)()).toEqual({ answer: { done: 2 }, replayed: false });
    expect(await carryOut(3)()).toEqual({ answer: { done: 2 }, replayed: true });
  });

  it('stays decided where a twin did it before the other one was refused', async () => {
    const sent = command();
    const decide = async () => ({ to: 1 });
    const refused = carryOutOnce(services, sent(), decide, async () => {
      await carryOutOnce(services, sent(), decide, async ({ to }) => ({ done: to }));
      throw refusal;
    });
    await expect(refused).rejects.toBe(refusal);
    const again = carryOutOnce(
      services,
      sent(),
      () => Promise.reject(new Problem('rebuild-not-ready', 'nothing is left')),
      async () => ({ done: 2 }),
    );
    expect(await again).toEqual({ answer: { done: 1 }, replayed: true });
  });

  it.each<[string, Error, { staysDecided?: boolean }]>([
    ['a server was away', new Problem('unavailable', 'away'), {}],
    ['it fell over', new Error('fault'), {}],
    ['it was refused after a part of it was done', refusal, { staysDecided: true }],
  ])('stays decided where %s', async (_, error, options) => {
    const sent = command();
    const failed = carryOutOnce(
      services,
      sent(),
      async () => ({ to: 1 }),
      () => Promise.reject(error),
      options,
    );
    await expect(failed).rejects.toBe(error);
    const again = await carryOutOnce(
      services,
      sent(),
      async () => ({ to: 2 }),
      async ({ to }) => ({ done: to }),
    );
    expect(again.answer).toEqual({ done: 1 });
    const other = carryOutOnce(
      services,
      sent('other'),
      async () => ({ to: 2 }),
      async ({ to }) => ({ done: to }),
    );
    await expect(other).rejects.toMatchObject({ code: 'idempotency-key-reused' });
  });
});
