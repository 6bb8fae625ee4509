import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PositionTokens } from '../../src/api/position-tokens.ts';
import type { Role, TenantContext } from '../../src/domain/access/context.ts';
import { isPositionToken, positionToken } from '../../src/domain/position.ts';

const logId = '0123456789ab-cdef-0123-456789abcdef';
const tokens = new PositionTokens(logId, 'secret');
const as = (role: Role): TenantContext =>
  ({ tenant: 't', principal: 'key:k', roles: [role], orgs: [], teams: [], projects: [] }) as never;
const positions = fc.integer({ min: 0, max: 2 ** 48 });

describe('[I4] position tokens', () => {
  it('name the same position for everyone who gets one, and equal positions are equal', () => {
    fc.assert(
      fc.property(
        positions,
        fc.constantFrom<Role>('admin', 'auditor', 'member', 'agent', 'operator'),
        (n, role) => {
          const token = tokens.of(as(role), n);
          expect(isPositionToken(token)).toBe(true);
          expect(tokens.of(as(role), n)).toBe(token);
          for (const other of ['admin', 'member'] as const)
            expect(tokens.parse(as(other), token, 'p')).toBe(n);
        },
      ),
    );
  });

  it('show the number only to those who may read the audit', () => {
    const number = (token: string) => token.split('-')[1]!.split('~')[0]!;
    expect(number(tokens.of(as('auditor'), 46_656))).toBe('1000');
    const shown = [46_656, 46_657, 46_658].map((n) => number(tokens.of(as('member'), n)));
    for (const each of shown) expect(each).toMatch(/^[0-9a-f]{32}$/);
    // Neighbours have nothing in common.
    expect(new Set(shown.map((each) => each.slice(0, 6))).size).toBe(3);
  });

  it.each([
    ['a number', positionToken(logId, 5)],
    ['a number with a made-up seal', positionToken(logId, 5, '0'.repeat(10))],
    ['a made-up block', `${positionToken(logId, 5).slice(0, 13)}${'0'.repeat(32)}`],
    ['the token of another key', new PositionTokens(logId, 'other').of(as('member'), 5)],
    ['the token of another log', new PositionTokens('f'.repeat(32), 'secret').of(as('member'), 5)],
  ])('are not made up: %s is unknown', (_, token) => {
    expect(() => tokens.parse(as('member'), token, 'minPosition')).toThrow(
      expect.objectContaining({ code: 'position-unknown' }),
    );
  });

  it('may be written by hand by those who may read the audit', () => {
    expect(tokens.parse(as('admin'), positionToken(logId, 5), 'minPosition')).toBe(5);
  });

  it('may be several, of which the last in the log counts', () => {
    const named = [4, 9, 7].map((n) => tokens.of(as('member'), n)).join(',');
    expect(tokens.parseLast(as('member'), named, 'minPosition')).toBe(9);
    expect(() => tokens.parseLast(as('member'), `${named},`, 'minPosition')).toThrow();
    const many = Array.from({ length: 101 }, (_, n) => tokens.of(as('member'), n)).join(',');
    expect(() => tokens.parseLast(as('member'), many, 'minPosition')).toThrow(/at most 100/);
  });
});
