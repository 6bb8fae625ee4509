import { expect, it } from 'vitest';
import { presumedCaller } from '../../src/domain/access/presumed-caller.ts';
import { isVisible, visible, type Placement } from '../../src/domain/access/visibility.ts';

const alice = { principal: 'jwt:alice', actor: 'user:alice' };
const red: Placement = { layer: 'team', scope: { team: 'red' } };
const own: Placement = { layer: 'user', scope: { user: 'alice' } };

it('[F3] a caller is presumed to see what it was shown, and nothing else', () => {
  const caller = presumedCaller('acme', alice, [red, own]);
  expect(caller).toMatchObject({ tenant: 'acme', principal: 'jwt:alice', roles: ['member'], user: 'alice' });
  const sees = (placement: Placement) => isVisible(visible(caller), placement);
  expect([red, own].map(sees)).toEqual([true, true]);
  expect(sees({ layer: 'team', scope: { team: 'blue' } })).toBe(false);
  expect(sees({ layer: 'user', scope: { user: 'bob' } })).toBe(false);
});

it('[F3] who was shown what no member sees saw the whole tenant', () => {
  const caller = presumedCaller('acme', alice, [red, { layer: 'user', scope: { user: 'bob' } }]);
  expect(visible(caller)).toBe('all');
});

it('[F3] an agent is presumed to act for the recorded user', () => {
  const named = { principal: 'jwt:helper', actor: 'agent:helper', onBehalfOf: 'alice' };
  const caller = presumedCaller('acme', named, [own]);
  expect(caller).toMatchObject({ roles: ['agent'], user: 'alice', agents: ['helper'] });
  expect(isVisible(visible(caller), own)).toBe(true);
});
