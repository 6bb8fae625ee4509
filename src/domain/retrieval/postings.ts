import type { Region } from '../access/region.ts';
import type { Filter, FilterScalar } from '../filter.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { layers, scopeKeys, type Layer, type Scope } from '../layers.ts';
import {
  keyOf,
  mayLeadIntoList,
  muchMetadata,
  orderedKeyOf,
  type AnyOf,
  type PostingKey,
} from './posting-keys.ts';
import { rangesAsked, timeKeys, type Times } from './ranges.ts';

/** The properties of a memory that can be looked up by value. */
export interface Filed extends Times {
  readonly layer: Layer;
  readonly scope: Scope;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
}

/** The only key of a memory that waits for a review: no search or list finds it. */
export const quarantinedKey: PostingKey = keyOf('trust', ['state'], 'quarantined');

/** A memory whose metadata have more keys is filed under `muchMetadata` instead. */
const mostMetadataKeys = 100;
/** Maximum number of ranges: each is a separate walk through the index. */
const mostRanges = 50;

/**
 * The distinct keys that a memory is filed under: its layer, the identifiers of its scope, spaces, tags, metadata and times. Times
 * and numbers in metadata have order-preserving keys.
 */
export function postingsOf(memory: Filed): ReadonlySet<PostingKey> {
  const { layer, scope, spaces, tags, metadata } = memory;
  const inMetadata = metadataKeys(metadata) ?? [muchMetadata];
  return new Set([
    keyOf('layer', [], layer),
    ...scopeKeys.flatMap((key) => (scope[key] === undefined ? [] : [keyOf(`scope.${key}`, [], scope[key])])),
    ...spaces.map((space) => keyOf('spaces', [], space)),
    ...tags.map((tag) => keyOf('tags', [], tag)),
    ...timeKeys(memory),
    ...inMetadata,
  ]);
}

/**
 * Keys of scalars by their path, and of list members by the path of the list, since a filter on a list matches any member, except
 * one that compares numbers. Undefined if there are too many: they are counted before any is hashed, because paths may be long.
 */
function metadataKeys(metadata: JsonObject): PostingKey[] | undefined {
  const filed: (() => PostingKey)[] = [];
  const file = (object: JsonObject, path: readonly string[]): void => {
    for (const [key, value] of Object.entries(object)) {
      const here = [...path, key];
      for (const item of Array.isArray(value) ? value : [value]) {
        if (filed.length > mostMetadataKeys) return;
        if (isScalar(item)) filed.push(() => keyOf('metadata', here, item));
        else if (item === value) file(item as JsonObject, here);
      }
      if (typeof value === 'number') filed.push(() => orderedKeyOf('metadata', here, value));
    }
  };
  file(metadata, []);
  return filed.length > mostMetadataKeys ? undefined : filed.map((key) => key());
}

function isScalar(value: JsonValue): value is FilterScalar {
  return typeof value !== 'object' || value === null;
}

export interface LookupConditions {
  readonly region?: Pick<Region, 'visibility' | 'layers' | 'scope'>;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  /** Whether times and numbers have order-preserving keys; true by default. */
  readonly inOrder?: boolean;
}

/**
 * Lists of keys: every memory that meets the conditions is filed under at least one key of each list. Other memories may be, too.
 * Conditions that keys cannot express (ranges of texts, negations, parts of texts) add no list.
 */
export function keyListsOf({
  region,
  spaces,
  tags,
  filter,
  inOrder = true,
}: LookupConditions): readonly AnyOf[] {
  return [
    ...(region ? regionKeys(region) : []),
    ...(spaces ? [oneOf(spaces.map((space) => keyOf('spaces', [], space)))] : []),
    ...(tags ? [oneOf(tags.map((tag) => keyOf('tags', [], tag)))] : []),
    ...(filter ? filterKeys(filter, inOrder) : []),
  ];
}

function oneOf(keys: readonly PostingKey[]): AnyOf {
  return { keys: [...new Set(keys)], ranges: [] };
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
    // A memory always has the identifier of its own layer: if the scope names one, it must be that one.
    const own = layer === 'company' ? undefined : scope[layer];
    if (own !== undefined) return [keyOf(`scope.${layer}`, [], own)];
    return key === undefined
      ? [keyOf('layer', [], layer)]
      : values.map((value) => keyOf(`scope.${key}`, [], value));
  });
  return [oneOf(keys)];
}

function filterKeys(filter: Filter, inOrder: boolean): readonly AnyOf[] {
  switch (filter.kind) {
    case 'and': {
      const parts = conjuncts(filter);
      // Comparisons are combined, so that both ends of a range make one list.
      const lists = parts.flatMap((part) =>
        part.kind === 'test' ? testKeys(part) : filterKeys(part, inOrder),
      );
      return inOrder ? [...lists, ...rangesAsked(parts)] : lists;
    }
    case 'or': {
      // One list of each alternative. Any memory may match an alternative without a list.
      const lists = filter.filters.map((part) => filterKeys(part, inOrder)[0]);
      if (!lists.every((list) => list !== undefined)) return [];
      const all = anyOf(lists);
      return all.ranges.length <= mostRanges ? [all] : [];
    }
    case 'not':
      return [];
    case 'test':
      return [...testKeys(filter), ...(inOrder ? rangesAsked([filter]) : [])];
    default:
      return filter satisfies never;
  }
}

/** The conditions of nested `and`s. */
function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.filters.flatMap(conjuncts) : [filter];
}

function anyOf(lists: readonly AnyOf[]): AnyOf {
  const ranges = new Map(
    lists.flatMap((list) => list.ranges).map((range) => [`${range.from} ${range.to}`, range]),
  );
  return { ...oneOf(lists.flatMap(({ keys }) => keys)), ranges: [...ranges.values()] };
}

function testKeys({
  field,
  path,
  otherPaths = [],
  operator,
  value,
}: Extract<Filter, { kind: 'test' }>): AnyOf[] {
  const isList = field === 'spaces' || field === 'tags';
  const equality = operator === 'eq' || operator === 'in';
  // `contains` with a text means a part of it, which has no key.
  if (!equality && !(operator === 'contains' && (isList || typeof value !== 'string'))) return [];
  const values = operator === 'in' ? (value as readonly FilterScalar[]) : [value as FilterScalar];
  if (field === 'metadata') {
    const paths = [path, ...otherPaths];
    if (paths.some(mayLeadIntoList)) return [];
    const keys = paths.flatMap((keys) => values.map((item) => keyOf(field, keys, item)));
    return [oneOf([...keys, muchMetadata])];
  }
  const isFiled = isList || field === 'layer' || (field.startsWith('scope.') && field !== 'scope.company');
  return isFiled ? [oneOf(values.map((item) => keyOf(field, [], item)))] : [];
}
