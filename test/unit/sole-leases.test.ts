import { expect, it } from 'vitest';
import { SoleLeases } from '../../src/adapters/sole-leases.ts';

it('leases of the only process are its own, with one epoch from taking to release', async () => {
  const leases = new SoleLeases();
  expect(await leases.hold('a')).toBe(1);
  expect(await leases.hold('a')).toBe(1);
  expect(await leases.hold('b')).toBe(1);
  expect(await leases.holders()).toEqual(
    new Map([
      ['a', 'here'],
      ['b', 'here'],
    ]),
  );
  await leases.release('a');
  expect([...(await leases.holders()).keys()]).toEqual(['b']);
  expect(await leases.hold('a')).toBe(2);
});
