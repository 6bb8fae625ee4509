import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CompletionRequest, ModelRole } from '../../src/ports/language-model.ts';
import { BreakerOpen, ModelGuard } from '../../src/queries/model-guard.ts';
import { fakeLanguageModel, type FakeAnswer } from '../support/fake-language-model.ts';

const good = { ok: true };

function guarded(answers: FakeAnswer = good) {
  const clock = { now: 0 };
  const opened: string[] = [];
  const model = fakeLanguageModel(answers);
  const onOpened = (tenant: string, name: string) => void opened.push(`${tenant} ${name}`);
  const guard = new ModelGuard(model, onOpened, () => clock.now);
  const ask = (tenant = 'acme', role: ModelRole = 'root') => guard.of(tenant).complete(request(role));
  return { guard, model, clock, opened, ask };
}

function request(role: ModelRole): CompletionRequest<unknown> {
  return {
    role,
    purpose: 'test',
    instructions: '',
    input: {},
    schema: z.object({ ok: z.boolean() }),
    maxOutputTokens: 10,
    signal: new AbortController().signal,
  };
}

async function failOften({ model, ask }: ReturnType<typeof guarded>, times = 20): Promise<void> {
  model.answers = 'unavailable';
  for (let count = 0; count < times; count++)
    await expect(ask()).rejects.toMatchObject({ failure: 'unavailable' });
}

describe('the breaker before a language model', () => {
  it('[D-7] opens if more than 5 % of the calls in five minutes failed, and then allows no calls', async () => {
    const all = guarded();
    const { guard, model, opened, ask } = all;
    for (let count = 0; count < 36; count++) await ask();
    model.answers = 'rate-limited';
    await expect(ask()).rejects.toMatchObject({ failure: 'rate-limited' });
    expect(guard.open).toBe(0);
    // 2 of 38 is more than 5 %.
    await expect(ask()).rejects.toMatchObject({ failure: 'rate-limited' });
    expect([guard.open, opened]).toEqual([1, ['acme large']]);
    const before = model.requests.length;
    await expect(ask()).rejects.toThrow(BreakerOpen);
    expect(model.requests.length).toBe(before);
  });

  it('[D-7] applies to one tenant and one model', async () => {
    const all = guarded();
    await failOften(all);
    all.model.answers = good;
    await expect(all.ask()).rejects.toThrow(BreakerOpen);
    await expect(all.ask('other')).resolves.toMatchObject({ value: good });
    await expect(all.ask('acme', 'sub')).resolves.toMatchObject({ value: good });
  });

  it('[D-7] allows one trial call after a pause; its success closes the breaker and resets its counters', async () => {
    const all = guarded();
    const { guard, model, clock, ask } = all;
    await failOften(all);
    clock.now = 29_999;
    await expect(ask()).rejects.toThrow(BreakerOpen);
    clock.now = 30_000;
    model.answers = good;
    const trial = ask();
    await expect(ask()).rejects.toThrow(BreakerOpen);
    await expect(trial).resolves.toMatchObject({ value: good });
    expect(guard.open).toBe(0);
    model.answers = 'refused';
    await expect(ask()).rejects.toMatchObject({ failure: 'refused' });
    expect(guard.open).toBe(0);
  });

  it('[D-7] stays open for another pause if the trial call fails, and reports it again', async () => {
    const all = guarded();
    const { guard, clock, opened, ask } = all;
    await failOften(all);
    clock.now = 30_000;
    await expect(ask()).rejects.toMatchObject({ failure: 'unavailable' });
    clock.now = 59_999;
    await expect(ask()).rejects.toThrow(BreakerOpen);
    expect([guard.open, opened.length]).toEqual([1, 2]);
  });

  it('[D-7] a trial that never ends blocks the others for only one pause', async () => {
    const all = guarded();
    const { model, clock, ask } = all;
    await failOften(all);
    clock.now = 30_000;
    model.answers = 'silence';
    void ask().catch(() => undefined);
    model.answers = good;
    clock.now = 60_000;
    await expect(ask()).resolves.toMatchObject({ value: good });
  });
});
