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
