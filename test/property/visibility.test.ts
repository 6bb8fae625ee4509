import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audienceContains } from '../../src/domain/access/audience.ts';
import { countedParts, partOf, sharedPart } from '../../src/domain/access/counted-parts.ts';
import { roles, type TenantContext } from '../../src/domain/access/context.ts';
import {
  visibilityKeys,
  visibleInCounts,
  isVisible,
  isWritable,
  visible,
  type Placement,
} from '../../src/domain/access/visibility.ts';
import { actingFor, assertNamesServedUser, servedUser } from '../../src/domain/access/on-behalf.ts';
import { layers, scopeKeys, type Layer, type ScopeKey } from '../../src/domain/layers.ts';
import { anyCaller } from '../support/callers.ts';

const name = fc.constantFrom('a', 'b', 'c');

/** The role agent has its own tests, because it is never combined with others. */
const otherRoles = roles.filter((role) => role !== 'agent');
const anyRoles = fc.uniqueArray(fc.constantFrom(...otherRoles), { maxLength: 2 });
const context = anyCaller(fc.constant('acme'), anyRoles, name);

const placed: fc.Arbitrary<Placement> = fc.record({
  layer: fc.constantFrom(...layers),
  scope: fc.record(Object.fromEntries(scopeKeys.map((key) => [key, name])), { requiredKeys: [] }),
});

const sees = (caller: TenantContext, memory: Placement) => isVisible(visible(caller), memory);
const check = (rule: (caller: TenantContext, memory: Placement) => void) =>
  fc.assert(fc.property(context, placed, rule), { numRuns: 500 });

/** The scope keys that grant access to a layer; the others do not. */
const granting: Readonly<Record<Layer, readonly ScopeKey[]>> = {
  company: [],
  org: ['org'],
  team: ['team'],
  project: ['project'],
  user: ['user'],
  session: ['user', 'session'],
  agent: ['user', 'agent'],
};

describe('who may write a memory', () => {
  it('sees it', () => {
    check((caller, memory) => {
      if (isWritable(caller, memory)) expect(sees(caller, memory)).toBe(true);
    });
  });

  it('is member or admin; the company is for admins', () => {
    check((caller, memory) => {
      if (!isWritable(caller, memory)) return;
      const needed = memory.layer === 'company' ? ['admin'] : ['admin', 'member'];
      expect(caller.roles.some((role) => needed.includes(role))).toBe(true);
    });
  });
});

describe('whose words count', () => {
  it('[I3] of personal memories only those that the caller sees', () => {
    const anyone = anyCaller(fc.constant('acme'), fc.subarray([...roles], { maxLength: 2 }), name);
    let counted = 0;
    fc.assert(
      fc.property(anyone, placed, (caller, { layer, scope }) => {
        // A memory has the identifier of its layer.
        const memory = { layer, scope: layer === 'company' ? scope : { [layer]: 'a', ...scope } };
        const [part, parts] = [partOf(memory), countedParts(visible(caller))];
        if (part === sharedPart || (parts !== 'all' && !parts.includes(part))) return;
        counted++;
        expect(sees(caller, memory)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(counted).toBeGreaterThan(100);
  });

  it('[I3] of personal memories all that belong to the user of the caller', () => {
    check((caller, memory) => {
      const { user } = caller;
      if (user === undefined || memory.scope.user !== user || !sees(caller, memory)) return;
      const parts = countedParts(visible(caller));
      expect(parts === 'all' || parts.includes(partOf(memory))).toBe(true);
    });
  });
});

describe('who sees a memory', () => {
  it('is decided only by the identifiers of its layer', () => {
    check((caller, { layer, scope }) => {
      const deciding = Object.entries(scope).filter(([key]) =>
        visibilityKeys(layer).includes(key as ScopeKey),
      );
      expect(sees(caller, { layer, scope: Object.fromEntries(deciding) })).toBe(
        sees(caller, { layer, scope }),
      );
    });
  });

  it('needs a role: without one, or only as operator, nothing is visible', () => {
    check((caller, memory) => {
      for (const of of [[], ['operator']] as const) {
        const nobody = { ...caller, roles: of };
        expect(sees(nobody, memory)).toBe(false);
        expect(isWritable(nobody, memory)).toBe(false);
      }
    });
  });

  it('includes admins and auditors for every memory', () => {
    check((caller, memory) => {
      for (const role of ['admin', 'auditor'] as const)
        expect(sees({ ...caller, roles: [...caller.roles, role] }, memory)).toBe(true);
    });
  });

  it('as a member needs exactly the identifier of the layer', () => {
    check((caller, memory) => {
      const member: TenantContext = { ...caller, roles: ['member'] };
      const own: Readonly<Record<ScopeKey, readonly (string | undefined)[]>> = {
        org: member.orgs,
        team: member.teams,
        project: member.projects,
        session: member.sessions,
        user: [member.user],
        agent: [...member.agents, member.agent],
      };
      const granted = granting[memory.layer].some(
        (key) => memory.scope[key] !== undefined && own[key].includes(memory.scope[key]),
      );
      expect(sees(member, memory)).toBe(memory.layer === 'company' || granted);
      expect(isWritable(member, memory)).toBe(granted);
    });
  });

  it('as a reader sees all shared layers, and personal ones like a member', () => {
    check((caller, memory) => {
      const shared = ['company', 'org', 'team', 'project'].includes(memory.layer);
      const reader = sees({ ...caller, roles: ['reader'] }, memory);
      expect(reader).toBe(shared || sees({ ...caller, roles: ['member'] }, memory));
      expect(isWritable({ ...caller, roles: ['reader'] }, memory)).toBe(false);
    });
  });

  it('still sees it with more roles and memberships', () => {
    fc.assert(
      fc.property(context, context, placed, (one, two, memory) => {
        const both: TenantContext = {
          ...one,
          roles: [...one.roles, ...two.roles],
          orgs: [...one.orgs, ...two.orgs],
          teams: [...one.teams, ...two.teams],
          projects: [...one.projects, ...two.projects],
          sessions: [...one.sessions, ...two.sessions],
          agents: [...one.agents, ...two.agents],
        };
        if (sees(one, memory)) expect(sees(both, memory)).toBe(true);
        if (isWritable(one, memory)) expect(isWritable(both, memory)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('does not see it if the identifier of the layer is missing', () => {
    check((caller, { layer }) => {
      if (layer === 'company') return;
      const member: TenantContext = { ...caller, roles: ['member'] };
      expect(sees(member, { layer, scope: {} })).toBe(false);
      expect(isWritable(member, { layer, scope: {} })).toBe(false);
    });
  });
});

describe('an agent', () => {
  const names = fc.uniqueArray(name);
  const agent: fc.Arbitrary<TenantContext> = fc.record({
    tenant: fc.constant('acme'),
    principal: fc.constant('key:1'),
    roles: fc.constant(['agent'] as const),
    agent: name,
    orgs: names,
    teams: names,
    projects: names,
    sessions: fc.constant([]),
    agents: fc.constant([]),
    users: fc.constant(['*']),
  });
  const own = agent.map((caller): TenantContext => ({ ...caller, agents: [caller.agent!] }));
  const checkAgent = (rule: (caller: TenantContext, user: string, memory: Placement) => void) =>
    fc.assert(fc.property(own, name, placed, rule), { numRuns: 1_000 });
  /** The key that the user would have with the memberships of the agent. */
  const memberKey = ({ agent: _, users: __, ...caller }: TenantContext, user: string): TenantContext => ({
    ...caller,
    roles: ['member'],
    agents: [],
    user,
  });
  const isOfAgentAlone = (caller: TenantContext, { layer, scope }: Placement) =>
    layer === 'agent' && scope.user === undefined && scope.agent === caller.agent;

  it('[I1] that acts for nobody never sees or writes a memory that names a user', () => {
    checkAgent((caller, user, { layer, scope }) => {
      const named = { layer, scope: { ...scope, user } };
      expect(sees(caller, named)).toBe(false);
      expect(isWritable(caller, named)).toBe(false);
    });
  });

  it('[I1] that acts for nobody sees the memories without a user that a member with its name would see', () => {
    checkAgent((caller, _, { layer, scope: { user: __, ...scope } }) => {
      const memory = { layer, scope };
      const member: TenantContext = { ...caller, roles: ['member'] };
      expect(sees(caller, memory)).toBe(sees(member, memory));
      expect(isWritable(caller, memory)).toBe(isWritable(member, memory));
    });
  });

  it('[I1] that acts for a user sees and writes exactly what this user would with its memberships, and its own', () => {
    checkAgent((caller, user, memory) => {
      const acting = actingFor(caller, user);
      const member = memberKey(caller, user);
      const isOwn = isOfAgentAlone(caller, memory);
      expect(sees(acting, memory)).toBe(sees(member, memory) || isOwn);
      expect(isWritable(acting, memory)).toBe(isWritable(member, memory) || isOwn);
    });
  });

  it('[I1] that acts for one user sees no personal memory of another', () => {
    fc.assert(
      fc.property(own, name, name, placed, (caller, user, other, { layer, scope }) => {
        if (user === other || !['user', 'session', 'agent'].includes(layer)) return;
        expect(sees(actingFor(caller, user), { layer, scope: { ...scope, user: other } })).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('[I1] gains nothing from other roles', () => {
    checkAgent((caller, user, memory) => {
      for (const acting of [caller, actingFor(caller, user)]) {
        const more: TenantContext = { ...acting, roles: ['agent', 'admin', 'auditor', 'reader'] };
        expect(sees(more, memory)).toBe(sees(acting, memory));
        expect(isWritable(more, memory)).toBe(isWritable(acting, memory));
      }
    });
  });

  it('[B2] knows counts only of memories that it sees', () => {
    checkAgent((caller, user, { layer, scope }) => {
      const deciding = Object.fromEntries(
        Object.entries(scope).filter(([key]) => visibilityKeys(layer).includes(key as ScopeKey)),
      );
      for (const acting of [caller, actingFor(caller, user)])
        if (isVisible(visibleInCounts(visible(acting)), { layer, scope: deciding }))
          expect(sees(acting, { layer, scope })).toBe(true);
    });
  });

  it('[I1] may name the user that it acts for, and no other', () => {
    checkAgent((caller, user, { scope }) => {
      const isAllowed = scope.user === undefined || scope.user === user;
      const acting = actingFor(caller, user);
      if (isAllowed) assertNamesServedUser(acting, scope);
      else expect(() => assertNamesServedUser(acting, scope)).toThrow(/must be the user/);
      if (scope.user !== undefined) expect(() => assertNamesServedUser(caller, scope)).toThrow(/on behalf/);
      expect([servedUser(caller), servedUser(acting)]).toEqual([undefined, user]);
    });
  });
});

describe('an audience that contains another one', () => {
  const agent = anyCaller(fc.constant('acme'), fc.constant(['agent' as const]), name);

  it('[H6] sees all that the other one sees', () => {
    const rule = (caller: TenantContext, outer: Placement, inner: Placement) => {
      if (audienceContains(outer, inner) && sees(caller, inner)) expect(sees(caller, outer)).toBe(true);
    };
    fc.assert(fc.property(fc.oneof(context, agent), placed, placed, rule), { numRuns: 2_000 });
  });

  it('[H6] is that of the company, of the same place, and of the sessions of one user for the user alone', () => {
    const place = (layer: Layer, scope: Placement['scope'] = {}): Placement => ({ layer, scope });
    const [user, session] = [{ user: 'a' }, { user: 'a', session: 's' }];
    expect(audienceContains(place('company'), place('session', session))).toBe(true);
    expect(audienceContains(place('session', session), place('user', user))).toBe(true);
    expect(audienceContains(place('team', { team: 't' }), place('team', { team: 't', project: 'p' }))).toBe(
      true,
    );
    expect(audienceContains(place('user', user), place('session', session))).toBe(false);
    expect(audienceContains(place('company', user), place('team', { team: 't' }))).toBe(false);
    expect(audienceContains(place('org', { org: 'o' }), place('team', { org: 'o', team: 't' }))).toBe(false);
  });
});
