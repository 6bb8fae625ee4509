import { InvalidArgumentError } from 'commander';

export function numberValue(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** A setting after an option such as `--tokens` or `--no-tokens`: unchanged without one, and unset by the latter, which gives `false`. */
export function settingAfter<Value>(
  option: Value | false | undefined,
  setting: Value | undefined,
): Value | undefined {
  return option === undefined ? setting : option === false ? undefined : option;
}

export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON, such as \'{"layer":{"eq":"team"}}\'.');
  }
}

/** The spaces of a search: those that `--space` names, or `auto` alone. */
export function searchedSpaces(named: readonly string[] | undefined): 'auto' | string[] | undefined {
  if (named === undefined) return undefined;
  return named.length === 1 && named[0] === 'auto' ? 'auto' : [...named];
}
