import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roles, type TenantContext } from '../../src/domain/access/context.ts';
import {
  visibilityKeys,
  isVisible,
  isWritable,
  visible,
  type Placement,
} from '../../src/domain/access/visibility.ts';
import { layers, scopeKeys, type Layer, type ScopeKey } from '../../src/domain/layers.ts';
import { anyCaller } from '../support/callers.ts';

const name = fc.constantFrom('a', 'b', 'c');

const anyRoles = fc.uniqueArray(fc.constantFrom(...roles), { maxLength: 2 });
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
