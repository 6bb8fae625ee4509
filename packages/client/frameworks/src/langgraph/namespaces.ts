import type { MatchCondition } from '@langchain/langgraph';

/** Throws unless items may be put there: the rules of LangGraph, for callers of `batch` too. */
export function assertNamespace(namespace: readonly unknown[]): asserts namespace is readonly string[] {
  if (!Array.isArray(namespace) || namespace.length === 0)
    throw new TypeError('namespace must have at least one label, such as ["memories", "ada"]');
  for (const label of namespace) {
    if (typeof label !== 'string' || label === '')
      throw new TypeError(`namespace labels must be texts that are not empty, not ${JSON.stringify(label)}`);
    if (/[.:\0]/.test(label))
      throw new TypeError(
        `namespace labels must not contain dots, colons or U+0000: ${JSON.stringify(label)}`,
      );
  }
  if (namespace[0] === 'langgraph')
    throw new TypeError('the first label of a namespace must not be "langgraph", which LangGraph reserves');
}

export function matches(conditions: readonly MatchCondition[], namespace: readonly string[]): boolean {
  return conditions.every(({ matchType, path }) => {
    if (path.length > namespace.length) return false;
    const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
    return path.every((label, index) => label === '*' || label === namespace[start + index]);
  });
}

/** The labels that every matching namespace begins with. */
export function commonPrefix(conditions: readonly MatchCondition[]): readonly string[] {
  const prefixes = conditions
    .filter(({ matchType }) => matchType === 'prefix')
    .map(({ path }) => {
      const wildcard = path.indexOf('*');
      return wildcard < 0 ? path : path.slice(0, wildcard);
    });
  return prefixes.reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), []);
}

/** Without repetitions, ordered label by label. */
export function distinct(namespaces: Iterable<readonly string[]>): string[][] {
  const byPath = new Map(Array.from(namespaces, (labels) => [JSON.stringify(labels), [...labels]]));
  return [...byPath.values()].sort(compare);
}

function compare(left: readonly string[], right: readonly string[]): number {
  for (const [index, label] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (label !== other) return label < other ? -1 : 1;
  }
  return left.length - right.length;
}
