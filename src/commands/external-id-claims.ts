import type { TenantContext } from '../domain/access/context.ts';
import { partOf, sharedPart, type Part } from '../domain/access/counted-parts.ts';
import { isVisible, visible, type Placement } from '../domain/access/visibility.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { memoryStream } from '../domain/streams.ts';
import type { StreamName } from '../ports/event-log.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import { claimHolder, claimStreamOf } from './claims.ts';
import type { CommandServices } from './context.ts';

/**
 * The claims of an externalId that matter to a caller who stores a memory. All shared memories of a tenant have one name space, and the
 * personal ones (user, session, agent) of each owner another, so that nobody learns which names others use.
 */
export interface ExternalIdClaims {
  /** Claimed by the new memory. */
  readonly own: StreamName;
  /**
   * The claim in the caller's other name space: for a personal memory that of the shared ones, which also has names that personal memories
   * took before they had name spaces; for a shared one that of the caller's personal memories. Undefined if it has none.
   */
  readonly beside: StreamName | undefined;
}

/** A memory that has the externalId already. */
export interface ExternalIdHolder {
  readonly claim: StreamName;
  readonly id: string;
  readonly snapshot: LiveSnapshot;
}

export function externalIdClaims(
  vault: KeyVault,
  { tenant, user }: TenantContext,
  placement: Placement,
  externalId: string,
): ExternalIdClaims {
  const claimIn = (part: Part): StreamName =>
    part === sharedPart
      ? claimStreamOf(vault, tenant, 'externalId', externalId)
      : claimStreamOf(vault, tenant, 'personalExternalId', JSON.stringify([part, externalId]));
  const part = partOf(placement);
  const callersPart = user === undefined ? undefined : partOf({ layer: 'user', scope: { user } });
  const beside = part === sharedPart ? callersPart : sharedPart;
  return { own: claimIn(part), beside: beside === undefined ? undefined : claimIn(beside) };
}

/**
 * The memory that has the externalId in the caller's other name space, if the caller sees it and would confuse the two. Two memories with
 * one externalId are refused where the caller can know; otherwise a change of the layer would store a copy unnoticed.
 */
export async function heldBeside(
  services: CommandServices,
  caller: TenantContext,
  placement: Placement,
  { beside: claim }: ExternalIdClaims,
): Promise<ExternalIdHolder | undefined> {
  if (claim === undefined) return undefined;
  const id = await claimHolder(services, claim);
  if (id === undefined) return undefined;
  const snapshot = foldMemory(await services.store.load<MemoryEvent>(memoryStream(caller.tenant, id)));
  if (!isLive(snapshot) || snapshot.state.value.claim !== claim) return undefined;
  const { value } = snapshot.state;
  const [part, wanted] = [partOf(value), partOf(placement)];
  // Somebody else's personal memory that took its name before there were name spaces.
  const isOfAnother = part !== sharedPart && wanted !== sharedPart && part !== wanted;
  return isOfAnother || !isVisible(visible(caller), value) ? undefined : { claim, id, snapshot };
}
