import type { Role } from '../../domain/access/context.ts';
import type { RoleAccess } from '../operation.ts';

export const writers: RoleAccess = {
  roles: ['agent', 'member', 'admin'],
  refusal: 'this credential may not write memories',
};

/** Operators see no content: to them, no memory exists. */
export const readers: readonly Role[] = ['agent', 'member', 'reader', 'auditor', 'admin'];
