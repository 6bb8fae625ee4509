import type { Layer, Scope } from '../layers.ts';
import type { Placement, Visibility } from './visibility.ts';

/**
 * A part of a tenant's memories whose words are counted together: `shared` for all shared layers, and one part for each owner of
 * personal memories (user, session, agent), such as `user:ada`.
 */
export type Part = string;

export const sharedPart: Part = 'shared';

/** All personal memories together, where counts are kept in tables: callers who see the whole tenant need not add up its owners. */
export const personalPart: Part = 'personal';

/** Owners of personal memories; one that names a user is the user's, whatever else it names. */
const owners = ['user', 'session', 'agent'] as const;

const personalLayers: ReadonlySet<Layer> = new Set(owners);

/** The part that a memory is counted in. Layer and scope never change, so neither does the part. */
export function partOf({ layer, scope }: Placement): Part {
  if (!personalLayers.has(layer)) return sharedPart;
  // A personal memory always has the identifier of its layer.
  const owner = scope.user === undefined ? layer : 'user';
  return ownPart(owner as keyof Scope, scope[owner as keyof Scope] ?? '');
}

/**
 * The parts whose statistics the scores of a caller may depend on: the shared layers and what is its own, so that personal memories of
 * others change no score. `all` if the caller sees the whole tenant. All memories of a personal part are visible to the caller.
 */
export function countedParts(visibility: Visibility): 'all' | readonly Part[] {
  if (visibility === 'all') return 'all';
  const own = visibility.flatMap(({ layer, key, values = [] }) =>
    personalLayers.has(layer) && key !== undefined ? values.map((value) => ownPart(key, value)) : [],
  );
  return [...new Set([sharedPart, ...own])];
}

function ownPart(key: keyof Scope, value: string): Part {
  return `${key}:${value}`;
}
