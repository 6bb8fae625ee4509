import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { abandonAfter, withTimeLimit } from '../../src/support/resilience/time-limit.ts';

const whenAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

it('aborts at the limit, even if garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ended = withTimeLimit(50, undefined, whenAborted);
  for (let round = 0; round < 5; round++) {
    collect();
    await sleep(5);
  }
  expect(await ended).toMatchObject({ name: 'TimeoutError' });
});

it('aborts with the outer signal and its reason, even if that aborted before', async () => {
  const outer = new AbortController();
  const ended = withTimeLimit(60_000, outer.signal, whenAborted);
  outer.abort('closing');
  expect(await ended).toBe('closing');
  expect(await withTimeLimit(60_000, outer.signal, (signal) => Promise.resolve(signal.reason))).toBe(
    'closing',
  );
});

it('resolves and rejects as the work does', async () => {
  const { signal } = new AbortController();
  expect(await withTimeLimit(1_000, signal, () => Promise.resolve(7))).toBe(7);
  await expect(withTimeLimit(1_000, signal, () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
});

it('abandons work that does not observe a signal', async () => {
  expect(await abandonAfter(1_000, () => Promise.resolve(7))).toBe(7);
  await expect(abandonAfter(5, () => sleep(60_000, undefined, { ref: false }))).rejects.toThrow(
    'no answer within 5 ms',
  );
  const late = abandonAfter(
    5,
    () => sleep(10).then(() => Promise.reject(new Error('too late to matter'))),
    () => new Error('own'),
  );
  await expect(late).rejects.toThrow('own');
  await sleep(10);
});
