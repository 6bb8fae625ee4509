/** `--space X`, `--space=X` and `space:X`, also with quotation marks around X. */
const hint =
  /(?<![\w-])(?:--space(?:\s+|=)|space:\s?)(?:"([^"]{1,256})"|'([^']{1,256})'|([^\s"',;]{1,256}))/giu;

/** A question without the spaces that it names, and those spaces. */
export interface HintedQuestion {
  readonly query: string;
  readonly spaces: readonly string[];
}

/** Whether a question may name a space. */
export function mayHint(query: string): boolean {
  return query.search(hint) >= 0;
}

/**
 * Takes the hints out of a question. `known` are the spaces that may be meant; what names another one is a part of the question. A
 * question that would be empty without its hints keeps them.
 */
export function takeHints(query: string, known: Iterable<string>): HintedQuestion {
  const exact = new Set(known);
  const byName = new Map([...exact].map((space) => [space.toLowerCase(), space]));
  const spaces = new Set<string>();
  const rest = query.replaceAll(hint, (whole, ...[double, single, bare]: (string | undefined)[]) => {
    const name = double ?? single ?? bare ?? '';
    // A full stop or a question mark at the end of the sentence is not of the name.
    const named = [name, name.replace(/[.!?)]+$/, '')].find(
      (one) => exact.has(one) || byName.has(one.toLowerCase()),
    );
    if (named === undefined) return whole;
    spaces.add(exact.has(named) ? named : byName.get(named.toLowerCase())!);
    return ' ';
  });
  const text = rest.replaceAll(/[ \t]+/g, ' ').trim();
  return spaces.size === 0 || text === ''
    ? { query, spaces: [...spaces] }
    : { query: text, spaces: [...spaces] };
}
