import type { RoleAccess } from '../operation.ts';

export const auditors: RoleAccess = {
  roles: ['auditor', 'admin'],
  refusal: 'the audit needs the role auditor or admin',
};
