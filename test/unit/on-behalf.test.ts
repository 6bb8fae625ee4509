import { describe, expect, it } from 'vitest';
import { actorOf, roles, type TenantContext } from '../../src/domain/access/context.ts';
import { actingFor, assertNamesServedUser, servedUserSchema } from '../../src/domain/access/on-behalf.ts';

const agent = (...users: string[]): TenantContext => ({
  tenant: 'acme',
  principal: 'key:1',
  roles: ['agent'],
  agent: 'helper',
  orgs: [],
  teams: [],
  projects: [],
  sessions: [],
  agents: ['helper'],
  users,
});

describe('[I1] the users of an agent', () => {
  it.each([
    ['*', 'alice', true],
    ['*', '*', true],
    ['alice', 'alice', true],
    ['alice', 'Alice', false],
    ['alice', 'alice2', false],
    ['acme-*', 'acme-1', true],
    ['acme-*', 'acme-', true],
    ['acme-*', 'acme', false],
    ['acme-*', 'other-acme-1', false],
    ['a.c*', 'abc', false],
  ])('%s and %s: %s', (pattern, user, isCovered) => {
    const act = () => actingFor(agent('nobody', pattern), user);
    if (isCovered) expect(act()).toMatchObject({ user, agent: 'helper', principal: 'key:1' });
    else expect(act).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  it.each(['alice', 'acme-*', '*', 'ü *'])('may be written as %s', (pattern) =>
    expect(servedUserSchema.safeParse(pattern).success).toBe(true),
  );

  it.each(['', '**', '*a', 'a*b', 'a\u0000', 'x'.repeat(257)])('may not be written as %j', (pattern) =>
    expect(servedUserSchema.safeParse(pattern).success).toBe(false),
  );
});

describe('[I1] another caller', () => {
  it.each(roles.filter((role) => role !== 'agent'))('of role %s cannot act for a user', (role) => {
    const caller: TenantContext = { ...agent('*'), roles: [role] };
    expect(() => actingFor(caller, 'alice')).toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(() => assertNamesServedUser(caller, { user: 'bob' })).not.toThrow();
  });
});

describe('[F1] the actor', () => {
  it('is the agent, for whichever user it acts', () => {
    expect(actorOf(agent('*'))).toBe('agent:helper');
    expect(actorOf(actingFor(agent('*'), 'alice'))).toBe('agent:helper');
  });
});
