import { scopeKeys, type Layer, type Scope } from '../domain/layers.ts';

/** Layer and scope of a memory as columns. They never change, so every table that a search filters repeats them. */
export const scopeColumns = `
  layer text not null,
  org text,
  team text,
  project text,
  session text,
  user_id text,
  agent text`;

/** The column types. */
export const scopeColumnTypes = {
  layer: 'text',
  org: 'text',
  team: 'text',
  project: 'text',
  session: 'text',
  user_id: 'text',
  agent: 'text',
} as const;

export function scopeRow(layer: Layer, { user, ...scope }: Scope): Record<string, string | undefined> {
  return { layer, ...scope, user_id: user };
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
