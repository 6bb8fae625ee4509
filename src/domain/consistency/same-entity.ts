import { scopeKeys } from '../layers.ts';
import { attributedSpeaker } from '../ranking/speaker.ts';
import { fieldKind, isEqualPair, sharedFields } from './metadata-fields.ts';
import type { ComparableMemory } from './comparable-memory.ts';

/**
 * Whether two memories can be about the same entity: the scope identifiers, naming fields and part fields that both have are equal.
 * The session is ignored, because several sessions can talk about the same thing.
 */
export function mayDescribeSameEntity(left: ComparableMemory, right: ComparableMemory): boolean {
  const hasDifferentScope = scopeKeys.some((key) => {
    const [own, other] = [left.scope[key], right.scope[key]];
    return key !== 'session' && own !== undefined && other !== undefined && own !== other;
  });
  if (hasDifferentScope) return false;
  return sharedFields(left, right).every((pair) => {
    const kind = fieldKind(pair.field);
    return (kind !== 'name' && kind !== 'part') || isEqualPair(pair);
  });
}

/** Whether "I" means the same person in two memories: same user, and same speaker if known. */
export function haveSameSpeaker(left: ComparableMemory, right: ComparableMemory): boolean {
  const { user } = left.scope;
  return (
    user !== undefined &&
    user === right.scope.user &&
    attributedSpeaker(left.metadata) === attributedSpeaker(right.metadata)
  );
}
