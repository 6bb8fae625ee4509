import { hasRole, type TenantContext } from './context.ts';
import { isVisible, visible, type Placement } from './visibility.ts';

/**
 * Whether reading these memories must be recorded in the audit log. This applies to every read by an auditor, and to reads
 * by an admin of memories that the same caller could not see as a member. Reads by members and readers are not recorded.
 */
export function requiresAuditRecord(caller: TenantContext, seen: readonly Placement[]): boolean {
  if (hasRole(caller, 'auditor')) return true;
  if (!hasRole(caller, 'admin')) return false;
  const others = caller.roles.filter((role) => role !== 'admin');
  const asMember = visible({ ...caller, roles: [...others, 'member'] });
  return seen.some((memory) => !isVisible(asMember, memory));
}
