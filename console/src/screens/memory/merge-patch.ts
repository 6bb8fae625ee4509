type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch (RFC 7396) that makes `after` of `before`: removed names are null. Undefined if nothing differs. A value of null
 * cannot be set by a merge patch, so it counts as removed.
 */
export function mergePatch(before: Json, after: Json): Json | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(before))
    if (after[name] === undefined || after[name] === null) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined || value === null) continue;
    const old = before[name];
    if (isObject(old) && isObject(value)) {
      const inner = mergePatch(old, value);
      if (inner) patch[name] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(value)) patch[name] = value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
