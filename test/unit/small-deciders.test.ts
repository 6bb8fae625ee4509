import { describe, expect, it } from 'vitest';
import { holder, type ClaimEvent } from '../../src/domain/claim/claim.ts';
import { decideLink, foldLinks, noLinks, type LinkEvent } from '../../src/domain/links/links.ts';
import { foldTenant, isUsable, noKeys, type TenantEvent } from '../../src/domain/tenant/tenant.ts';
import { specify } from '../support/decider-specification.ts';

describe('links', () => {
  const given = specify({
    initialState: noLinks,
    decide: decideLink,
    evolve: (state, event) => foldLinks(state, [event]),
  });
  const linked = (
    confidence: number,
    type: LinkEvent['data']['type'] = 'supports',
    target = 'b',
  ): LinkEvent => ({
    type: 'MemoriesLinked',
    data: { source: 'a', target, type, confidence },
  });
  const unlinked: LinkEvent = {
    type: 'MemoriesUnlinked',
    data: { source: 'a', target: 'b', type: 'supports' },
  };
  const link = (confidence: number) =>
    ({ type: 'link', source: 'a', target: 'b', link: 'supports', confidence }) as const;
  const unlink = { type: 'unlink', source: 'a', target: 'b', link: 'supports' } as const;

  it('are created', () => given().when(link(0.5)).thenDecides(linked(0.5)));
  it('are not created twice', () => given(linked(0.5)).when(link(0.5)).thenNothing());
  it('can change their confidence, also to 0', () => given(linked(0.5)).when(link(0)).thenDecides(linked(0)));
  it('with confidence 0 exist', () => given(linked(0)).when(unlink).thenDecides(unlinked));
  it('are removed', () => given(linked(0.5)).when(unlink).thenDecides(unlinked));
  it('that do not exist are not removed', () => given().when(unlink).thenNothing());
  it('are removed only once', () => given(linked(1), unlinked).when(unlink).thenNothing());
  it('can be created again', () => given(linked(0.5), unlinked).when(link(0.5)).thenDecides(linked(0.5)));
  it('with another type or target are different links', () => {
    const others = [linked(0.5, 'causes'), linked(0.5, 'supports', 'c')];
    given(...others)
      .when(unlink)
      .thenNothing();
    given(...others)
      .when(link(0.5))
      .thenDecides(linked(0.5));
    given(...others, linked(0.5), unlinked).thenState(
      new Map([
        ['causes b', 0.5],
        ['supports c', 0.5],
      ]),
    );
  });
});

describe('a claim', () => {
  const taken = (memoryId: string): ClaimEvent => ({ type: 'ClaimTaken', data: { memoryId } });
  const released = (memoryId: string): ClaimEvent => ({ type: 'ClaimReleased', data: { memoryId } });
  const answered: ClaimEvent = {
    type: 'CommandAnswered',
    data: { memoryId: 'm3', revision: 1, position: 2 },
  };

  it.each([
    ['nobody’s at first', [], undefined],
    ['its taker’s', [taken('m1')], 'm1'],
    ['free when it was released', [taken('m1'), released('m1')], undefined],
    ['the next one’s after that', [taken('m1'), released('m1'), taken('m2')], 'm2'],
    ['no memory’s where it remembers an answer', [answered], undefined],
  ] as const)('is %s', (_, events, expected) => {
    expect(holder(events)).toBe(expected);
  });
});

describe('a tenant', () => {
  const created = (
    keyId: string,
    more: Partial<Extract<TenantEvent, { type: 'ApiKeyCreated' }>['data']> = {},
  ) =>
    ({
      type: 'ApiKeyCreated',
      data: {
        keyId,
        secretHash: `hash of ${keyId}`,
        role: 'member',
        orgs: [],
        teams: ['kitchen'],
        projects: [],
        sessions: [],
        agents: [],
        ...more,
      },
    }) satisfies TenantEvent;
  const revoked = (keyId: string): TenantEvent => ({ type: 'ApiKeyRevoked', data: { keyId } });
  const fold = (...events: TenantEvent[]) =>
    foldTenant(
      noKeys,
      events.map((event, index) => ({ event, time: new Date(`2030-01-0${index + 1}`) })),
    );
  const usable = (state: ReturnType<typeof fold>, id: string, at: string) =>
    isUsable(state.get(id)!, new Date(at));

  it('has no keys at first', () => {
    expect(fold({ type: 'TenantCreated', data: { tenant: 'acme' } })).toEqual(new Map());
  });

  it('has the created keys, each with its time and fields', () => {
    const state = fold(created('k1', { user: 'alice', name: 'laptop' }), created('k2'));
    expect([...state.keys()]).toEqual(['k1', 'k2']);
    expect(state.get('k1')).toEqual({
      id: 'k1',
      secretHash: 'hash of k1',
      role: 'member',
      user: 'alice',
      name: 'laptop',
      orgs: [],
      teams: ['kitchen'],
      projects: [],
      sessions: [],
      agents: [],
      createdAt: '2030-01-01T00:00:00.000Z',
    });
    expect(usable(state, 'k2', '2030-01-02')).toBe(true);
  });

  it('keeps a revoked key as revoked, at the time of the first revocation', () => {
    const state = fold(created('k1'), created('k2'), revoked('k1'), revoked('k1'));
    expect(state.get('k1')).toMatchObject({ revokedAt: '2030-01-03T00:00:00.000Z' });
    expect(usable(state, 'k1', '2030-01-02')).toBe(false);
    expect(usable(state, 'k2', '2030-01-05')).toBe(true);
  });

  it('ignores revocations of unknown keys', () => {
    expect(fold(revoked('k9'))).toEqual(new Map());
  });

  it('accepts a key until it expires', () => {
    const state = fold(created('k1', { expiresAt: '2030-02-01T00:00:00.000Z' }));
    expect(usable(state, 'k1', '2030-01-31T23:59:59.999Z')).toBe(true);
    expect(usable(state, 'k1', '2030-02-01T00:00:00.000Z')).toBe(false);
  });

  it('does not modify the given state', () => {
    const before = fold(created('k1'));
    foldTenant(before, [{ event: revoked('k1'), time: new Date('2030-01-09') }]);
    expect(before.get('k1')).not.toHaveProperty('revokedAt');
  });
});
