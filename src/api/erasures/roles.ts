import type { RoleAccess } from '../operation.ts';

export const erasers: RoleAccess = { roles: ['admin'], refusal: 'erasing needs the role admin' };

export const tenantErasers: RoleAccess = {
  roles: [],
  refusal: 'erasing a tenant needs the master key',
  masterKey: true,
};

export const receiptReaders: RoleAccess = {
  roles: ['admin', 'auditor'],
  refusal: 'receipts of erasures are shown to admins and auditors',
  masterKey: true,
};
