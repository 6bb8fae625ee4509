import type { AddressValues } from '../../app/address-values.ts';
import { filtersIn } from './filter.ts';

/** Filters under a name. */
export interface SavedFilter {
  readonly name: string;
  readonly values: AddressValues;
}

/** The saved filters in a text of the browser's storage; what is malformed is left out. */
export function savedIn(text: string | null): readonly SavedFilter[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return [];
    const { name, values } = one as { name?: unknown; values?: unknown };
    if (typeof name !== 'string' || typeof values !== 'object' || values === null) return [];
    const texts = Object.entries(values).filter(([, text]) => typeof text === 'string');
    return [{ name, values: filtersIn(Object.fromEntries(texts)) }];
  });
}

/** The saved filters with another one, which replaces one of its name. */
export const withSaved = (saved: readonly SavedFilter[], one: SavedFilter): readonly SavedFilter[] => [
  ...saved.filter(({ name }) => name !== one.name),
  one,
];
