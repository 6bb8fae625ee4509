/** One line of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a text in the format of Prometheus. Comments and lines without a finite value are left out. */
export function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((row) => {
    const [, name, labels = '', number] = line.exec(row) ?? [];
    const value = Number(number);
    if (name === undefined || !Number.isFinite(value)) return [];
    return [{ name, labels: Object.fromEntries(labelsOf(labels)), value }];
  });
}

const escaped: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

const labelsOf = (text: string): [string, string][] =>
  [...text.matchAll(label)].map(([, name, value]) => [
    name!,
    value!.replaceAll(/\\[n"\\]/g, (pair) => escaped[pair]!),
  ]);

/** The sum of all samples of this name whose labels include these; undefined if there are none. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** Counters at a moment. */
export interface Reading {
  /** Unix time in seconds. */
  readonly at: number;
  readonly counters: Readonly<Record<string, number | undefined>>;
}

/**
 * Growth of each counter per second between each reading and the one before it; null where one of them is missing. A counter that has
 * become smaller began again from 0, because the process did.
 */
export function ratesOf(readings: readonly Reading[], counter: string): (number | null)[] {
  return readings.slice(1).map((reading, index) => {
    const before = readings[index]!;
    const [from, to] = [before.counters[counter], reading.counters[counter]];
    const seconds = reading.at - before.at;
    if (from === undefined || to === undefined || seconds <= 0) return null;
    return (to >= from ? to - from : to) / seconds;
  });
}
