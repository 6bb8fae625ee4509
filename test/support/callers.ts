import * as fc from 'fast-check';
import type { Role, TenantContext } from '../../src/domain/access/context.ts';

/** Arbitrary callers of every kind, whose memberships are drawn from `name`. An agent may serve every user. */
export function anyCaller(
  tenant: fc.Arbitrary<string>,
  roles: fc.Arbitrary<readonly Role[]>,
  name: fc.Arbitrary<string>,
): fc.Arbitrary<TenantContext> {
  const names = fc.uniqueArray(name);
  return fc.record(
    {
      tenant,
      principal: fc.constant('key:1'),
      roles,
      user: name,
      agent: name,
      orgs: names,
      teams: names,
      projects: names,
      sessions: names,
      agents: names,
      users: fc.constant(['*']),
    },
    { requiredKeys: ['tenant', 'principal', 'roles', 'orgs', 'teams', 'projects', 'sessions', 'agents'] },
  );
}
