/** A metric that an expression reads, with the labels that it selects by. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The metrics of an expression. Labels that it groups by belong to each of them. */
export function selectorsOf(expr: string): Selector[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/));
  const metrics = /\b((?:stratalog|memory|http|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;
  const readable = expr.replaceAll(/\bby \([^)]*\)/g, '');
  return [...readable.matchAll(metrics)].map(([, metric = '', labels = '']) => ({
    metric,
    labels: [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label).concat(grouped),
  }));
}

/** The metrics and labels of an expression that none of these series has. */
export function missingIn(expr: string, series: readonly string[]): string[] {
  return selectorsOf(expr).flatMap(({ metric, labels }) => {
    const [found] = series.filter((name) => name === metric || name.startsWith(`${metric}{`));
    if (found === undefined) return [metric];
    return labels.filter((label) => !found.includes(`${label}="`)).map((label) => `${metric}{${label}}`);
  });
}
