/** A typed number; undefined for an empty field, and an error's words for anything that is no number in these bounds. */
export type Typed = { readonly value: number | undefined } | { readonly mistake: string };

interface Bounds {
  readonly least: number;
  readonly greatest?: number;
  readonly isWhole?: boolean;
}

/** Reads a typed number. */
export function typedNumber(name: string, text: string, { least, greatest, isWhole = false }: Bounds): Typed {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const value = Number(trimmed);
  const isAllowed =
    Number.isFinite(value) &&
    value >= least &&
    (greatest === undefined || value <= greatest) &&
    (!isWhole || Number.isInteger(value));
  if (isAllowed) return { value };
  const kind = isWhole ? 'a whole number' : 'a number';
  const range =
    greatest === undefined
      ? `of at least ${least.toLocaleString()}`
      : `from ${least.toLocaleString()} to ${greatest.toLocaleString()}`;
  return { mistake: `${name} must be ${kind} ${range}` };
}

/** The first mistake among typed numbers, if any. */
export const mistakeOf = (typed: readonly Typed[]): string | undefined =>
  typed.flatMap((one) => ('mistake' in one ? [one.mistake] : []))[0];

/** The value of a typed number without mistake. */
export const valueOf = (typed: Typed): number | undefined => ('value' in typed ? typed.value : undefined);
