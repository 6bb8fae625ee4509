import { hasRole, type TenantContext } from './context.ts';
import { isVisible, visible, type Placement } from './visibility.ts';

/**
 * Whether a look at these memories is to be written down: every look of an auditor, and one of an admin at what a member
 * in the same place would not see. What members and readers see is theirs to see.
 */
export function requiresAuditRecord(caller: TenantContext, seen: readonly Placement[]): boolean {
  if (hasRole(caller, 'auditor')) return true;
  if (!hasRole(caller, 'admin')) return false;
  const others = caller.roles.filter((role) => role !== 'admin');
  const own = visible({ ...caller, roles: [...others, 'member'] });
  return seen.some((memory) => !isVisible(own, memory));
}
