import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { detachedCopy } from '../text/detached-copy.ts';
import type { ComparableMemory } from './comparable-memory.ts';
import type { FieldPair } from './verdict.ts';

/** Names of fields that identify what a memory is about. Different values mean different things. */
const NAMING = /(?:^|_)(?:id|uuid|key|name|title|slug|doc|document|path|uri|url)$/;
/** Names of fields that say which part of a thing a memory is. Two parts are not two versions. */
const PART = /(?:^|_)(?:section|chunk|part|page|index|offset|line|paragraph|heading|turn|seq)$/;
/** Names of time fields. They order versions and are not themselves a change. */
const TIME = /(?:^|_)(?:date|time|timestamp|at|on|created|updated|modified|since|until)$/;

export type FieldKind = 'name' | 'part' | 'time' | 'value';

/** Cache by field path: the fields are looked up again for every pair of memories. */
const knownKinds = new Map<string, FieldKind>();
const maxKnownKinds = 10_000;

/** What a metadata field holds, judged by the last segment of its path. */
export function fieldKind(field: string): FieldKind {
  const known = knownKinds.get(field);
  if (known) return known;
  const kind = kindByName(field);
  if (knownKinds.size >= maxKnownKinds) knownKinds.clear();
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

/** Cache: each memory is compared with many others. */
const knownLeaves = new WeakMap<JsonObject, ReadonlyMap<string, JsonValue>>();

/** Maximum per memory, since each field is compared for each pair of memories. */
const maxLeaves = 200;
/** Maximum number of UTF-16 units of a path. Longer or deeper paths are unlikely to occur in another memory. */
const maxPathLength = 200;

/**
 * The values in the metadata by path (`metadata.a.b`): the first 200 with paths of at most 200 UTF-16 units. A list counts as
 * one value; nulls are left out.
 */
export function metadataLeaves(metadata: JsonObject): ReadonlyMap<string, JsonValue> {
  const known = knownLeaves.get(metadata);
  if (known) return known;
  const leaves = new Map<string, JsonValue>();
  const visit = (path: string, value: JsonValue) => {
    if (leaves.size >= maxLeaves || path.length > maxPathLength) return;
    if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) visit(`${path}.${key}`, item);
    else if (value !== null) leaves.set(path, value);
  };
  visit('metadata', metadata);
  knownLeaves.set(metadata, leaves);
  return leaves;
}

/** The metadata fields that both memories have, each with both values. */
export function sharedFields(left: ComparableMemory, right: ComparableMemory): FieldPair[] {
  const [own, others] = [metadataLeaves(left.metadata), metadataLeaves(right.metadata)];
  return [...own].flatMap(([field, value]) => {
    const other = others.get(field);
    return other === undefined ? [] : [{ field, values: [value, other] as const }];
  });
}

/** Whether the values of both memories are equal as JSON. */
export function isEqualPair({ values: [left, right] }: FieldPair): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right;
  return canonicalOf(left) === canonicalOf(right);
}

/** Cache: a list can be long, and is compared with those of many memories. */
const knownJson = new WeakMap<object, string>();

function canonicalOf(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return canonicalJson(value);
  const known = knownJson.get(value) ?? canonicalJson(value);
  knownJson.set(value, known);
  return known;
}
