import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withTimeLimit } from '../../src/ports/time-limit.ts';

const whenAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

it('ends by the time, also where memory is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ended = withTimeLimit(50, undefined, whenAborted);
  for (let round = 0; round < 5; round++) {
    collect();
    await sleep(5);
  }
  expect(await ended).toMatchObject({ name: 'TimeoutError' });
});

it('ends as the outer signal does, with its reason, also where that was before', async () => {
  const outer = new AbortController();
  const ended = withTimeLimit(60_000, outer.signal, whenAborted);
  outer.abort('closing');
  expect(await ended).toBe('closing');
  expect(await withTimeLimit(60_000, outer.signal, (signal) => Promise.resolve(signal.reason))).toBe(
    'closing',
  );
});

it('answers what the work answers, and fails as it fails', async () => {
  const { signal } = new AbortController();
  expect(await withTimeLimit(1_000, signal, () => Promise.resolve(7))).toBe(7);
  await expect(withTimeLimit(1_000, signal, () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
});
