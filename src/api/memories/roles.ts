import type { RoleAccess } from '../operation.ts';

export const writers: RoleAccess = {
  roles: ['agent', 'member', 'admin'],
  refusal: 'this credential may not write memories',
};
