import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { scopeKeys } from '../layers.ts';
import { detachedCopy } from '../text/detached-copy.ts';
import { attributedSpeaker } from '../ranking/speaker.ts';
import type { Statement } from './statement.ts';
import type { FieldPair } from './verdict.ts';

/** The last word of fields that say what a memory is about: two values are two things. */
const NAMING = /(?:^|_)(?:id|uuid|key|name|title|slug|doc|document|path|uri|url)$/;
/** Fields that say which part of a thing a memory is: two parts are no two versions. */
const PART = /(?:^|_)(?:section|chunk|part|page|index|offset|line|paragraph|heading|turn|seq)$/;
/** Fields that tell times: they put versions in order and are none of what changed. */
const TIME = /(?:^|_)(?:date|time|timestamp|at|on|created|updated|modified|since|until)$/;

export type FieldKind = 'name' | 'part' | 'time' | 'value';

/** Each pair of memories asks for the fields of both. */
const knownKinds = new Map<string, FieldKind>();
const mostKnownKinds = 10_000;

/** What a metadata field tells by its name, the last part of its path. */
export function fieldKind(field: string): FieldKind {
  const before = knownKinds.get(field);
  if (before) return before;
  const kind = kindByName(field);
  if (knownKinds.size >= mostKnownKinds) knownKinds.clear();
  knownKinds.set(detachedCopy(field), kind);
  return kind;
}

function kindByName(field: string): FieldKind {
  const last = field.slice(field.lastIndexOf('.') + 1);
  const words = last
    .replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})/gu, '_')
    .replaceAll(/[\s-]+/g, '_')
    .toLowerCase();
  if (NAMING.test(words)) return 'name';
  if (PART.test(words)) return 'part';
  return TIME.test(words) ? 'time' : 'value';
}

/** Of memories that are compared with many others. */
const known = new WeakMap<JsonObject, ReadonlyMap<string, JsonValue>>();

/** Of one memory: each of its fields is compared in each of its pairs. */
const mostLeaves = 200;
/** UTF-16 units: whatever is deeper, or has longer names, says nothing that another memory says otherwise. */
const longestPath = 200;

/** The values of the metadata by path, `metadata.a.b`, the first 200 of paths up to 200 long; a list is one value. */
export function metadataLeaves(metadata: JsonObject): ReadonlyMap<string, JsonValue> {
  const before = known.get(metadata);
  if (before) return before;
  const found = new Map<string, JsonValue>();
  const visit = (path: string, value: JsonValue) => {
    if (found.size >= mostLeaves || path.length > longestPath) return;
    if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) visit(`${path}.${key}`, item);
    else if (value !== null) found.set(path, value);
  };
  visit('metadata', metadata);
  known.set(metadata, found);
  return found;
}

/** The fields that both have, with both values. */
export function sharedFields(left: Statement, right: Statement): FieldPair[] {
  const [own, others] = [metadataLeaves(left.metadata), metadataLeaves(right.metadata)];
  return [...own].flatMap(([field, value]) => {
    const other = others.get(field);
    return other === undefined ? [] : [{ field, values: [value, other] as const }];
  });
}

export function isSame({ values: [left, right] }: FieldPair): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/**
 * Whether two memories could be about one thing: no place, person or name that both have differs, and they are no two
 * parts of it. Another session is no other thing.
 */
export function mayDescribeSameEntity(left: Statement, right: Statement): boolean {
  const apart = scopeKeys.some((key) => {
    const [own, other] = [left.scope[key], right.scope[key]];
    return key !== 'session' && own !== undefined && other !== undefined && own !== other;
  });
  if (apart) return false;
  return sharedFields(left, right).every((pair) => {
    const kind = fieldKind(pair.field);
    return (kind !== 'name' && kind !== 'part') || isSame(pair);
  });
}

/** Whether "I" is the same in two memories: one user's, and said by one speaker where it is known who spoke. */
export function haveSameSpeaker(left: Statement, right: Statement): boolean {
  const { user } = left.scope;
  return (
    user !== undefined &&
    user === right.scope.user &&
    attributedSpeaker(left.metadata) === attributedSpeaker(right.metadata)
  );
}
