/** A filter as callers write it. */
export type FilterJson = Readonly<Record<string, unknown>>;

/** Whether a memory matches a filter, implemented from the API documentation only, without code of the server. */
export function matches(filter: FilterJson, memory: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === 'and') return (value as FilterJson[]).every((part) => matches(part, memory));
    if (key === 'or') return (value as FilterJson[]).some((part) => matches(part, memory));
    if (key === 'not') return !matches(value as FilterJson, memory);
    const field = fieldOf(memory, key);
    return Object.entries(value as FilterJson).every(([operator, operand]) =>
      passes(field, operator, operand),
    );
  });
}

/** Dots separate keys. If that finds nothing, adjacent parts are tried as one key. A key in brackets is used literally. */
function fieldOf(memory: unknown, name: string): unknown {
  const bracket = /^(.*?)\["(.*?)"\](.*)$/.exec(name);
  if (bracket) {
    const [, before, key, after] = bracket;
    const rest = after!.split('.').filter((part) => part !== '');
    return valueAt(memory, [...before!.split('.'), key!, ...rest]);
  }
  const plain = name.split('.');
  if (plain[0] !== 'metadata') return valueAt(memory, plain);
  const keys = plain.slice(1);
  for (let joined = 1; joined <= keys.length; joined++) {
    for (let at = 0; at <= keys.length - joined; at++) {
      const path = [...keys.slice(0, at), keys.slice(at, at + joined).join('.'), ...keys.slice(at + joined)];
      const value = valueAt(memory, ['metadata', ...path]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt((value as Record<string, unknown>)[key], rest);
}

function passes(field: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case 'eq':
      return equals(field, operand);
    case 'ne':
      return !equals(field, operand);
    case 'in':
      return (operand as unknown[]).some((item) => equals(field, item));
    case 'contains':
      return (
        (Array.isArray(field) && field.includes(operand)) ||
        (typeof field === 'string' &&
          typeof operand === 'string' &&
          caseless(field).includes(caseless(operand)))
      );
    default:
      return compares(field, operator, operand);
  }
}

function caseless(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

function equals(field: unknown, operand: unknown): boolean {
  return field === operand || (Array.isArray(field) && field.includes(operand));
}

function compares(field: unknown, operator: string, operand: unknown): boolean {
  const comparable =
    (typeof field === 'number' && typeof operand === 'number') ||
    (typeof field === 'string' && typeof operand === 'string');
  if (!comparable) return false;
  const [left, right] = [field, operand];
  if (operator === 'gt') return left > right;
  if (operator === 'gte') return left >= right;
  return operator === 'lt' ? left < right : left <= right;
}
