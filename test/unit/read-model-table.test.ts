import { describe, expect, it } from 'vitest';
import { Table } from '../../src/read-models/table.ts';

const tables = (name: string): string => `read.${name}_g1`;

const counts = new Table('counts', {
  columns: { tenant: 'text', word: 'text', uses: 'bigint', last_at: 'timestamptz?', example: 'json?' },
  key: ['tenant', 'word'],
  collations: { word: 'C' },
  fillfactor: 50,
  uniqueIndexes: ['(tenant, last_at)'],
  indexes: ['(tenant, uses)'],
  combined: { uses: 'sum', last_at: 'max' },
  undigested: ['example'],
  digestedRows: 'uses <> 0',
});

describe('a declared table', () => {
  it('has its columns, then those that are not declared', () => {
    const [create, ...others] = counts.create(tables, 'vector vector(3)');
    expect(create).toBe(
      'create table read.counts_g1 (tenant text not null, word text collate "C" not null, uses bigint not null, ' +
        'last_at timestamptz, example jsonb, vector vector(3), primary key (tenant, word)) with (fillfactor = 50)',
    );
    expect(others).toEqual(
      expect.arrayContaining([
        'create unique index on read.counts_g1 (tenant, last_at)',
        'create index on read.counts_g1 (tenant, uses)',
        'alter table read.counts_g1 force row level security',
      ]),
    );
  });

  it('combines a row with the stored one as declared', () => {
    expect(counts.onConflict).toBe(
      'on conflict (tenant, word) do update set uses = t.uses + excluded.uses, last_at = greatest(t.last_at, excluded.last_at)',
    );
  });

  it('replaces the stored row by default, and keeps it if all columns are the key', () => {
    const replaced = new Table('latest', { columns: { tenant: 'text', text: 'text' }, key: ['tenant'] });
    expect(replaced.onConflict).toBe('on conflict (tenant) do update set text = excluded.text');
    const set = new Table('names', { columns: { tenant: 'text', name: 'text' }, key: ['tenant', 'name'] });
    expect(set.onConflict).toBe('on conflict (tenant, name) do nothing');
  });

  it('digests the columns that equal rows have in common', () => {
    const digest = counts.digest(tables);
    for (const column of ['tenant', 'word', 'uses', 'last_at'])
      expect(digest).toContain(`coalesce(${column},`);
    expect(digest).not.toContain('example');
    expect(digest).toMatch(/where uses <> 0$/);
  });

  it('binds some of its columns by their declared types', () => {
    expect(counts.pick('word', 'last_at').as('some')).toBe(
      'unnest($1::text[], $2::timestamptz[]) as some(word, last_at)',
    );
  });
});
