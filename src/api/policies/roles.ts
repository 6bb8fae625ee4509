import type { RoleAccess } from '../operation.ts';

export const policyOperators: RoleAccess = {
  roles: ['operator', 'admin'],
  refusal: 'policies need the role operator or admin',
};
