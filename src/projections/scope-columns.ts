import { scopeKeys, type Layer, type Scope } from '../domain/layers.ts';
import type { RowOf } from '../read-models/table.ts';

/** Layer and scope of a memory as columns. They never change, so every table that a search filters repeats them. */
export const scopeColumns = {
  layer: 'text',
  org: 'text?',
  team: 'text?',
  project: 'text?',
  session: 'text?',
  user_id: 'text?',
  agent: 'text?',
} as const;

export type ScopeRow = RowOf<typeof scopeColumns>;

export const scopeColumnNames = Object.keys(scopeColumns) as (keyof ScopeRow)[];

export function scopeRow(layer: Layer, { org, team, project, session, user, agent }: Scope): ScopeRow {
  return { layer, org, team, project, session, user_id: user, agent };
}

/** The scope in such columns. */
export function scopeOf(row: Readonly<Record<string, unknown>>): Scope {
  return Object.fromEntries(
    scopeKeys.flatMap((key) => {
      const value = row[key === 'user' ? 'user_id' : key];
      return typeof value === 'string' ? [[key, value]] : [];
    }),
  );
}
