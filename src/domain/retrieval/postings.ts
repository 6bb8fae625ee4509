import { createHash } from 'node:crypto';
import type { Region } from '../access/region.ts';
import type { Filter, FilterScalar } from '../filter.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { layers, scopeKeys, type Layer, type Scope } from '../layers.ts';
import { dayOf, daysAsked } from './days.ts';

/** What of a memory can be looked up by its value. */
export interface Filed {
  readonly layer: Layer;
  readonly scope: Scope;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly occurredAt?: string | undefined;
  readonly createdAt: Date;
}

/** A value at a field as a signed 64-bit integer in decimal: the first eight bytes of a SHA-256. */
export type PostingKey = string;

/** A memory whose metadata hold more values than this is filed under one key that every look into metadata takes along. */
const mostMetadataKeys = 100;
const muchMetadata = keyOf('much metadata', [], null);

/**
 * The keys under which a memory is filed, each once: its layer, the identifiers of its scope, spaces, tags, metadata, and
 * the day on which it occurred, or was recorded where it does not tell.
 */
export function postingsOf(memory: Filed): ReadonlySet<PostingKey> {
  const { layer, scope, spaces, tags, metadata, occurredAt, createdAt } = memory;
  const inMetadata = metadataKeys(metadata, []);
  return new Set([
    keyOf('layer', [], layer),
    ...scopeKeys.flatMap((key) => (scope[key] === undefined ? [] : [keyOf(`scope.${key}`, [], scope[key])])),
    ...spaces.map((space) => keyOf('spaces', [], space)),
    ...tags.map((tag) => keyOf('tags', [], tag)),
    dayKey(dayOf(occurredAt === undefined ? createdAt : new Date(occurredAt))),
    ...(inMetadata.length > mostMetadataKeys ? [muchMetadata] : inMetadata),
  ]);
}

/** Scalars by their path, and those of a list by the path of the list: a filter on it matches any member. */
function metadataKeys(metadata: JsonObject, path: readonly string[]): PostingKey[] {
  return Object.entries(metadata).flatMap(([key, value]): PostingKey[] => {
    const here = [...path, key];
    if (Array.isArray(value)) return value.filter(isScalar).map((item) => keyOf('metadata', here, item));
    return isScalar(value) ? [keyOf('metadata', here, value)] : metadataKeys(value as JsonObject, here);
  });
}

function isScalar(value: JsonValue): value is FilterScalar {
  return typeof value !== 'object' || value === null;
}

function dayKey(day: string): PostingKey {
  return keyOf('day', [], day);
}

function keyOf(field: string, path: readonly string[], value: FilterScalar): PostingKey {
  const name = JSON.stringify([field, path, value]);
  return createHash('sha256').update(name).digest().readBigInt64BE(0).toString();
}

/** Keys of which a memory must have one. */
export type AnyOf = readonly PostingKey[];

export interface Narrowed {
  readonly region?: Pick<Region, 'visibility' | 'layers' | 'scope'>;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  /** Whether memories are filed under their day; they are unless it is denied. */
  readonly byDay?: boolean;
}

/**
 * What every memory that is asked for is filed under: one key of each list. Others may be filed there too; conditions
 * that keys cannot tell (ranges but of days, negations, parts of texts) add no list.
 */
export function lookupsOf({ region, spaces, tags, filter, byDay = true }: Narrowed): readonly AnyOf[] {
  return [
    ...(region ? regionKeys(region) : []),
    ...(spaces ? [spaces.map((space) => keyOf('spaces', [], space))] : []),
    ...(tags ? [tags.map((tag) => keyOf('tags', [], tag))] : []),
    ...(filter ? filterKeys(filter, byDay) : []),
  ];
}

function regionKeys({
  visibility,
  layers: wanted,
  scope = {},
}: Pick<Region, 'visibility' | 'layers' | 'scope'>): AnyOf[] {
  if (visibility === 'all' && !wanted && Object.keys(scope).length === 0) return [];
  const entries =
    visibility === 'all' ? layers.map((layer) => ({ layer, key: undefined, values: undefined })) : visibility;
  const looked = wanted ? entries.filter(({ layer }) => wanted.includes(layer)) : entries;
  const keys = looked.flatMap(({ layer, key, values = [] }): PostingKey[] => {
    // A memory always has the identifier of its own layer: where the scope names one, it must be that.
    const own = layer === 'company' ? undefined : scope[layer];
    if (own !== undefined) return [keyOf(`scope.${layer}`, [], own)];
    return key === undefined
      ? [keyOf('layer', [], layer)]
      : values.map((value) => keyOf(`scope.${key}`, [], value));
  });
  return [[...new Set(keys)]];
}

function filterKeys(filter: Filter, byDay: boolean): readonly AnyOf[] {
  switch (filter.kind) {
    case 'and': {
      const parts = conjuncts(filter);
      // What several conditions say of the day together comes last: it is many keys, and those of one value are few.
      return [...parts.flatMap((part) => filterKeys(part, byDay)), ...(byDay ? dayKeys(parts) : [])];
    }
    case 'or': {
      // One list of each alternative; an alternative without any may be met by every memory.
      const lists = filter.filters.map((part) => filterKeys(part, byDay)[0]);
      return lists.every((list) => list !== undefined) ? [lists.flat()] : [];
    }
    case 'not':
      return [];
    case 'test': {
      const keys = testKeys(filter);
      if (keys) return [keys];
      return byDay ? dayKeys([filter]) : [];
    }
    default:
      return filter satisfies never;
  }
}

/** What all of an `and` comes down to. */
function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.filters.flatMap(conjuncts) : [filter];
}

function dayKeys(parts: readonly Filter[]): readonly AnyOf[] {
  const days = daysAsked(parts);
  return days ? [days.map(dayKey)] : [];
}

function testKeys({ field, path, operator, value }: Extract<Filter, { kind: 'test' }>): AnyOf | undefined {
  const isList = field === 'spaces' || field === 'tags';
  const equality = operator === 'eq' || operator === 'in';
  // Of a text `contains` means a part of it, of which no key tells.
  if (!equality && !(operator === 'contains' && (isList || typeof value !== 'string'))) return undefined;
  const values = operator === 'in' ? (value as readonly FilterScalar[]) : [value as FilterScalar];
  if (field === 'metadata') {
    // A number in a path may be a place in a list, whose members are filed under the list.
    if (path.some((key) => /^\s*[-+]?\d/.test(key))) return undefined;
    return [...values.map((item) => keyOf(field, path, item)), muchMetadata];
  }
  const isFiled = isList || field === 'layer' || (field.startsWith('scope.') && field !== 'scope.company');
  return isFiled ? values.map((item) => keyOf(field, [], item)) : undefined;
}
