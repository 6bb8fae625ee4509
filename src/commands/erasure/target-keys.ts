import type { ErasureRequest } from '../../domain/erasure/events.ts';
import type { KeyVault } from '../../ports/key-vault.ts';

/**
 * Destroys the keys of the subject or tenant that an erasure names. It may be repeated at any time, as by a replay of the log: keys that
 * were made after the erasure are not affected. The key of a single memory is named by its `MemoryErased`.
 */
export async function destroyTargetKeys(
  vault: KeyVault,
  tenant: string,
  { erasureId, target }: Pick<ErasureRequest, 'erasureId' | 'target'>,
): Promise<void> {
  if (target.kind === 'subject') await vault.destroySubject(tenant, target.subject, target.generation);
  else if (target.kind === 'tenant') await vault.destroyTenant(target.tenant, erasureId);
}
