import { textError } from './json.ts';

/**
 * A key in brackets and quotes, `["service.name"]` or `['service.name']`, with a backslash before a quote or backslash of
 * its own; or a key after a dot, up to the next dot or such a bracket.
 */
const segment = /\[(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]|\.((?:(?!\[["'])[^.])+)/gsy;
const hasBracket = /\[["']/;

/** Keys that lead to a value in metadata. */
export interface MetadataPath {
  readonly keys: readonly string[];
  /** Whether a key may have dots: then the keys are exactly these. */
  readonly isExact: boolean;
}

/** The keys that the name of a field below `metadata` means; undefined if it is not one. */
export function metadataPath(name: string): MetadataPath | undefined {
  if (!name.startsWith('metadata')) return undefined;
  const rest = name.slice('metadata'.length);
  const isExact = hasBracket.test(rest);
  const keys: string[] = [];
  segment.lastIndex = 0;
  while (segment.lastIndex < rest.length) {
    const [, double, single, plain] = segment.exec(rest) ?? [];
    const quoted = double ?? single;
    const key = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, '$1');
    if (key === undefined || textError(key) !== undefined) return undefined;
    keys.push(key);
  }
  return keys.length > 0 ? { keys, isExact } : undefined;
}

/** The name of the field at these keys, which `metadataPath` reads as exactly these. */
export function metadataField(keys: readonly string[]): string {
  return `metadata${keys.map(segmentOf).join('')}`;
}

function segmentOf(key: string): string {
  if (key !== '' && !key.includes('.') && !hasBracket.test(key)) return `.${key}`;
  return `["${key.replaceAll(/["\\]/g, String.raw`\$&`)}"]`;
}

/** If a path has more keys than this, only one other reading is tried: all of them as one key. */
const mostKeys = 8;

/**
 * Other keys that the same dotted name may mean, because keys may have dots: each run of neighbouring keys as one key.
 * `a.b.c` may be `["a.b"].c`, `a["b.c"]` or `["a.b.c"]`. Tried in this order where the plain path finds nothing.
 */
export function otherPaths(keys: readonly string[]): string[][] {
  const others: string[][] = [];
  for (let length = keys.length > mostKeys ? keys.length : 2; length <= keys.length; length++) {
    for (let start = 0; start + length <= keys.length; start++) {
      const joined = keys.slice(start, start + length).join('.');
      others.push([...keys.slice(0, start), joined, ...keys.slice(start + length)]);
    }
  }
  return others;
}
