import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planAndRunOnce } from '../../src/commands/run-once.ts';
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

/** A command with a new idempotency key, which can be repeated with another body. */
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

/** Counts up to the number that was planned first. */
const toPlanned = (to: number) => ({
  plan: async () => ({ to }),
  run: async (plan: { to: number }) => ({ done: plan.to }),
});

describe('[A11] a command that is planned once', () => {
  it('is planned again after a refusal, even with another body', async () => {
    const sent = command();
    const run = () => Promise.reject(refusal);
    const refused = planAndRunOnce(services, sent('one'), { ...toPlanned(1), run });
    await expect(refused).rejects.toBe(refusal);
    const runTo = (to: number) => planAndRunOnce(services, sent('two'), toPlanned(to));
    expect(await runTo(2)).toEqual({ answer: { done: 2 }, replayed: false });
    expect(await runTo(3)).toEqual({ answer: { done: 2 }, replayed: true });
  });

  it('keeps its plan if a concurrent run succeeded before the other one was refused', async () => {
    const sent = command();
    const run = async () => {
      await planAndRunOnce(services, sent(), toPlanned(1));
      throw refusal;
    };
    const refused = planAndRunOnce(services, sent(), { ...toPlanned(1), run });
    await expect(refused).rejects.toBe(refusal);
    const plan = () => Promise.reject(new Problem('rebuild-not-ready', 'nothing is left'));
    const again = planAndRunOnce(services, sent(), { plan, run: async () => ({ done: 2 }) });
    expect(await again).toEqual({ answer: { done: 1 }, replayed: true });
  });

  it.each<[string, Error, { keepsPlan?: boolean }]>([
    ['a server was unavailable', new Problem('unavailable', 'away'), {}],
    ['it failed', new Error('fault'), {}],
    ['it was refused after a part of it was done', refusal, { keepsPlan: true }],
  ])('keeps its plan if %s', async (_, error, options) => {
    const sent = command();
    const run = () => Promise.reject(error);
    const failed = planAndRunOnce(services, sent(), { ...toPlanned(1), run, ...options });
    await expect(failed).rejects.toBe(error);
    const again = await planAndRunOnce(services, sent(), toPlanned(2));
    expect(again.answer).toEqual({ done: 1 });
    const other = planAndRunOnce(services, sent('other'), toPlanned(2));
    await expect(other).rejects.toMatchObject({ code: 'idempotency-key-reused' });
  });
});
