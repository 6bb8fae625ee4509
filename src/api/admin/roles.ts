import { isMaster } from '../../commands/api-keys.ts';
import { hasRole, type TenantContext } from '../../domain/access/context.ts';
import type { RoleAccess } from '../operation.ts';

export const keyManagers: RoleAccess = { roles: ['admin'], refusal: 'managing keys needs the role admin' };

export const projectionOperators: RoleAccess = {
  roles: ['operator', 'admin'],
  refusal: 'projections need the role operator or admin',
};

export const routingOperators: RoleAccess = {
  roles: ['operator', 'admin'],
  refusal: 'routing needs the role operator or admin',
};

/** Whether the caller may see figures of the whole process, which show what all tenants do together. */
export function seesFigures(caller: TenantContext): boolean {
  return isMaster(caller) || hasRole(caller, 'operator', 'auditor', 'admin');
}
