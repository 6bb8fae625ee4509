import { expect, it } from 'vitest';
import { SharedRuns } from '../../src/support/shared-runs.ts';

it('gives all who ask during a run the result of the next one, which also begins after a failure', async () => {
  const runs = new SharedRuns<number>();
  let begun = 0;
  const gates: PromiseWithResolvers[] = [];
  const ask = () =>
    runs.run('a', async () => {
      const n = ++begun;
      const gate = resolvers();
      gates.push(gate);
      await gate.promise;
      if (n === 1) throw new Error('failed');
      return n;
    });
  const first = ask();
  const others = [ask(), ask()];
  expect(begun).toBe(1);

  gates[0]!.resolve();
  await expect(first).rejects.toThrow('failed');
  await expect.poll(() => begun).toBe(2);
  const last = ask();
  gates[1]!.resolve();

  expect(await Promise.all(others)).toEqual([2, 2]);
  await expect.poll(() => begun).toBe(3);
  gates[2]!.resolve();
  expect(await last).toBe(3);
});

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function resolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
