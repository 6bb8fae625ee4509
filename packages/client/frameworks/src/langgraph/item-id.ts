/** Characters of an external id, less what a generation may add. */
const longestId = 490;

/**
 * The path of a namespace in a store: `langgraph/users/42`. Labels are escaped, so different namespaces have different
 * paths, and only the paths of namespaces below begin with a path and a slash.
 */
export function namespacePath(store: string, labels: readonly string[]): string {
  return [store, ...labels].map(escaped).join('/');
}

/** The paths of a namespace and of all that it lies in, the store first. */
export function pathsTo(store: string, labels: readonly string[]): string[] {
  return Array.from({ length: labels.length + 1 }, (_, depth) =>
    namespacePath(store, labels.slice(0, depth)),
  );
}

/**
 * What names an item in the tenant. `user` is the one on whose behalf it is kept, so that two users of an agent may have
 * the same namespaces. An id that would be too long becomes a digest.
 */
export async function itemId(
  store: string,
  item: { readonly namespace: readonly string[]; readonly key: string },
  user?: string,
): Promise<string> {
  const owner = user === undefined ? '' : `@${escaped(user)}`;
  const path = [...item.namespace, item.key].map(escaped).join('/');
  const id = `${escaped(store)}${owner}/${path}`;
  if (id.length <= longestId) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  // An equals sign is escaped in labels and keys, so no other item has this id.
  return `${escaped(store)}/=${hex}`;
}

/**
 * The external id of an item that was deleted and put again. The external id of a deleted memory stays taken, so each
 * further one has a number: `…/key#2`. A `#` of a key is escaped.
 */
export function externalIdOf(id: string, generation: number): string {
  return generation === 1 ? id : `${id}#${generation}`;
}

export function generationOf(externalId: string | undefined): number {
  return Number(/#(\d+)$/.exec(externalId ?? '')?.[1] ?? 1);
}

function escaped(text: string): string {
  if (!text.isWellFormed())
    throw new TypeError('names, namespace labels and keys must not contain lone surrogates');
  return encodeURIComponent(text);
}
