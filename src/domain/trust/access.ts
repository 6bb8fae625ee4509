import { actorOf, hasRole, type TenantContext } from '../access/context.ts';
import { isReviewer, type TrustPolicy } from './policy.ts';
import { isWithheld, type Trust } from './trust.ts';

interface Written {
  readonly createdBy: string;
  readonly trust?: Trust | undefined;
}

/** Whether the caller may change or delete the memory although it may be withheld: it wrote it, or is an admin. */
export function mayHandle(caller: TenantContext, memory: Written): boolean {
  return !isWithheld(memory) || isWriterOf(caller, memory) || hasRole(caller, 'admin');
}

/** Whether the caller may read the memory although it may be withheld: it reviews such memories, or wrote it and asks for them. */
export function mayRead(
  caller: TenantContext,
  memory: Written,
  { policies, asWriter }: { readonly policies: readonly TrustPolicy[]; readonly asWriter: boolean },
): boolean {
  if (!isWithheld(memory) || isReviewer(policies, caller)) return true;
  return asWriter && isWriterOf(caller, memory);
}

function isWriterOf(caller: TenantContext, { createdBy }: Written): boolean {
  return actorOf(caller) === createdBy;
}
