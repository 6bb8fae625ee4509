import type { SqlValue } from '../ports/sql.ts';

/** Collects bound parameters while a statement is built, so values never become part of its text. */
export class Parameters {
  readonly values: SqlValue[] = [];

  /** Binds `value` and returns its placeholder. */
  bind(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'true' : conditions.map((condition) => `(${condition})`).join(' and ');
}

export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : conditions.map((condition) => `(${condition})`).join(' or ');
}
