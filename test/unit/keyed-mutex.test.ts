import { expect, it } from 'vitest';
import { KeyedMutex } from '../../src/support/keyed-mutex.ts';

/** An action that ends when the test releases it. */
function action(log: string[], name: string) {
  let end = (_?: Error): void => {};
  const run = (): Promise<string> => {
    log.push(`${name} starts`);
    return new Promise((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve(name));
    });
  };
  return { run, end: (error?: Error) => end(error) };
}

it('runs actions with the same key one after another, in the order of the calls', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => action(log, name));
  const results = [mutex.run('a', first!.run), mutex.run('a', second!.run), mutex.run('b', other!.run)];
  expect(log).toEqual(['first starts', 'other starts']);
  first!.end();
  expect(await results[0]).toBe('first');
  expect(log).toEqual(['first starts', 'other starts', 'second starts']);
  second!.end();
  other!.end();
  expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
});

it('continues after an action that failed', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const [failing, next] = [action(log, 'failing'), action(log, 'next')];
  const failure = mutex.run('a', failing.run);
  const success = mutex.run('a', next.run);
  failing.end(new Error('broken'));
  await expect(failure).rejects.toThrow('broken');
  next.end();
  expect(await success).toBe('next');
});
