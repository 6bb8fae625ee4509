import type { RoleAccess } from '../operation.ts';

export const policyOperators: RoleAccess = {
  roles: ['operator', 'admin'],
  refusal: 'changing policies needs the role operator or admin',
};

export const policyReaders: RoleAccess = {
  roles: ['operator', 'auditor', 'admin'],
  refusal: 'policies need the role operator, auditor or admin',
};
