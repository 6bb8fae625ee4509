import type { MemoryValue } from '../../domain/memory/memory.ts';
import { trustPoliciesOf, type Spaces } from '../../domain/spaces/spaces.ts';
import { addressesModel } from '../../domain/trust/instructions.ts';
import { isHeld } from '../../domain/trust/policy.ts';
import { sourceOf } from '../../domain/trust/source.ts';
import { unrecordedTrust, type Trust, type TrustSource } from '../../domain/trust/trust.ts';
import type { CommandContext } from '../context.ts';

type Checked = Pick<MemoryValue, 'content' | 'spaces' | 'trust'>;

/**
 * The trust of a memory as the command would leave it: its source, what rules noticed, and whether it waits for a review. `flags` are those
 * of other rules. Undefined if nothing has to be recorded. What a review has decided counts until the text changes, and what waits for one
 * goes on waiting.
 */
export function trustOf(
  spaces: Spaces,
  { caller, cause }: CommandContext,
  entry: Checked,
  {
    before,
    flags = [],
    declared,
  }: {
    readonly before?: Checked | undefined;
    readonly flags?: readonly string[];
    /** Where the caller says that the text comes from. */
    readonly declared?: TrustSource | undefined;
  },
): Trust | undefined {
  const own = sourceOf(caller, cause, declared);
  const known = before?.trust ?? unrecordedTrust;
  const isNewText = before?.content !== entry.content;
  const source = before && !isNewText ? known.source : own;
  const noticed = isNewText
    ? addressesModel(entry.content)
      ? ['instruction']
      : []
    : known.flags.filter((flag) => !isNotedAnew(flag));
  const all = [...new Set([...noticed, ...flags])].toSorted();
  const arrival = { source, flags: all, cause };
  const isReviewed = !isNewText && known.reviewedBy !== undefined;
  const held = !isReviewed && isHeld(trustPoliciesOf(spaces, entry.spaces), arrival);
  const state = before && known.state !== 'trusted' ? known.state : held ? 'quarantined' : 'trusted';
  const reviewedBy = isReviewed || state === 'rejected' ? known.reviewedBy : undefined;
  const trust: Trust = { source, state, flags: all, ...(reviewedBy !== undefined && { reviewedBy }) };
  return before?.trust === undefined && isUnrecorded(trust) ? undefined : trust;
}

/** Flags that other rules give each time that a memory is checked. */
function isNotedAnew(flag: string): boolean {
  return flag === 'metadata' || flag === 'secret' || flag.startsWith('pii:');
}

function isUnrecorded({ source, state, flags }: Trust): boolean {
  return source === unrecordedTrust.source && state === unrecordedTrust.state && flags.length === 0;
}
