import type { Cause } from '../../domain/access/context.ts';
import type { Conflict } from '../../domain/consistency/conflicts.ts';
import type { MemoryValue } from '../../domain/memory/memory.ts';
import { trustPoliciesOf } from '../../domain/spaces/spaces.ts';
import { isHeld } from '../../domain/trust/policy.ts';
import { isBelow, isWithheld, unrecordedTrust } from '../../domain/trust/trust.ts';
import { changeMemory, loadVisibleMemory } from '../change-memory.ts';
import type { CommandContext, CommandServices } from '../context.ts';

/** Confidence from which a contradiction is noted. */
const minConfidence = 0.8;
const flag = 'contradicts-trusted';

/**
 * Flags a memory that contradicts one from a more trusted source, and withholds it where a policy says so. A memory of the same source is
 * no sign: people change what they have said.
 */
export async function flagContradiction(
  services: CommandServices,
  context: CommandContext,
  { value, cause }: { readonly value: MemoryValue; readonly cause: Cause },
  conflicts: readonly Conflict[],
): Promise<void> {
  const trust = value.trust ?? unrecordedTrust;
  if (trust.source === 'user' || trust.flags.includes(flag)) return;
  const isTrusted = async ({ id, confidence }: Conflict): Promise<boolean> => {
    if (confidence < minConfidence) return false;
    const { state } = (await loadVisibleMemory(services, context, id)).snapshot;
    const { source } = state.value.trust ?? unrecordedTrust;
    return state.status === 'active' && !isWithheld(state.value) && isBelow(trust.source, source);
  };
  for (const conflict of conflicts) {
    if (!(await isTrusted(conflict))) continue;
    const flags = [...trust.flags, flag].toSorted();
    const policies = trustPoliciesOf(await services.spaces.of(context.caller.tenant), value.spaces);
    const isNowHeld =
      trust.state === 'trusted' &&
      trust.reviewedBy === undefined &&
      isHeld(policies, { source: trust.source, flags, cause });
    const state = isNowHeld ? 'quarantined' : trust.state;
    const reason = { ...context, reason: `contradicts memory ${conflict.id}` };
    await changeMemory(services, reason, value.id, { type: 'flag', trust: { ...trust, state, flags } });
    return;
  }
}
