import { describe, expect, it } from 'vitest';
import { logTask, tableTask, type TableState } from '../../src/adapters/pglite/upkeep.ts';

const MiB = 2 ** 20;
const minute = 60_000;

describe('the write-ahead log', () => {
  it('is checkpointed when it has grown long, however busy the database is', () => {
    expect(logTask({ sinceCheckpoint: 63 * MiB, unflushed: false }, 0, 0)).toBeUndefined();
    expect(logTask({ sinceCheckpoint: 64 * MiB, unflushed: false }, 0, 0)).toBe('checkpoint');
  });

  it('is checkpointed after five minutes of writing, or in a long pause, but not if nothing was written', () => {
    expect(logTask({ sinceCheckpoint: MiB, unflushed: false }, 0, 5 * minute)).toBe('checkpoint');
    expect(logTask({ sinceCheckpoint: MiB, unflushed: false }, minute, minute)).toBe('checkpoint');
    expect(logTask({ sinceCheckpoint: 500, unflushed: false }, 60 * minute, 60 * minute)).toBeUndefined();
  });

  it('is flushed in a short pause after commits that did not wait', () => {
    expect(logTask({ sinceCheckpoint: 500, unflushed: true }, 0, 0)).toBeUndefined();
    expect(logTask({ sinceCheckpoint: 500, unflushed: true }, 300, 0)).toBe('flush');
  });
});

describe('tables', () => {
  const table = (name: string, state: Partial<TableState>): TableState => ({
    name,
    live: 10_000,
    dead: 0,
    inserted: 0,
    modified: 0,
    age: 1000,
    bytes: MiB,
    pages: 128,
    known: 10_000,
    unseen: 0,
    hasGraph: false,
    inGraph: 0,
    ...state,
  });
  const statementFor = (tables: readonly TableState[], idleMs: number) =>
    tableTask(tables, idleMs)?.statement;

  it('are left alone below the thresholds and while requests come', () => {
    expect(statementFor([table('t', { dead: 2000, modified: 1000 })], minute)).toBeUndefined();
    expect(statementFor([table('t', { dead: 9000 })], 500)).toBeUndefined();
  });

  it('are vacuumed one at a time, the one with the most dead rows first', () => {
    const tables = [table('a', { dead: 3000 }), table('b', { dead: 4000 }), table('c', { modified: 9000 })];
    expect(statementFor(tables, 2000)).toBe('vacuum (analyze) b');
  });

  it('are analyzed after changes, and vacuumed after inserts so that index-only scans work', () => {
    expect(statementFor([table('t', { modified: 1100 })], 2000)).toBe('analyze t');
    expect(statementFor([table('t', { inserted: 3100, modified: 3100 })], 2000)).toBe('vacuum (analyze) t');
  });

  it('are analyzed even while requests come if the planner knows nothing of them, or of a table a tenth as large', () => {
    expect(statementFor([table('t', { known: -1 })], 0)).toBe('analyze t');
    expect(statementFor([table('t', { known: -1, pages: 10 })], 0)).toBeUndefined();
    expect(statementFor([table('t', { known: 500, modified: 9500 })], 0)).toBe('analyze t');
    expect(statementFor([table('t', { known: 2000, modified: 8000 })], 0)).toBeUndefined();
  });

  it('are vacuumed if a start lost the counters and no vacuum has visited their pages', () => {
    expect(statementFor([table('t', { live: 0, pages: 2000, unseen: 400 })], 2000)).toBeUndefined();
    expect(statementFor([table('t', { live: 0, pages: 2000, unseen: 600 })], 2000)).toBe(
      'vacuum (analyze) t',
    );
  });

  it('that are large wait for a long pause, unless most of their rows are dead', () => {
    const large = table('t', { dead: 3000, bytes: 500 * MiB });
    expect(statementFor([large], 2000)).toBeUndefined();
    expect(statementFor([large], 20_000)).toBe('vacuum (analyze) t');
    expect(statementFor([{ ...large, dead: 11_000 }], 2000)).toBe('vacuum (analyze) t');
  });

  it('with a graph keep its dead rows until they outnumber the live ones and there is a long pause', () => {
    const vectors = table('v', { dead: 3000, bytes: 500 * MiB, hasGraph: true });
    expect(tableTask([vectors], minute)).toEqual({
      statement: 'vacuum (analyze, index_cleanup off) v',
      table: 'v',
      inGraph: 3000,
    });
    expect(statementFor([{ ...vectors, inGraph: 3000 }], 60 * minute)).toBeUndefined();
    expect(statementFor([{ ...vectors, dead: 6000, inGraph: 3000 }], minute)).toContain('index_cleanup off');
    const full = { ...vectors, dead: 11_000, inGraph: 11_000 };
    expect(statementFor([full], minute)).toBeUndefined();
    expect(tableTask([full], 16 * minute)).toEqual({
      statement: 'vacuum (analyze) v',
      table: 'v',
      inGraph: 0,
    });
  });

  it('are frozen long before transaction ids run out', () => {
    expect(statementFor([table('t', { age: 160_000_000 })], 2000)).toBe('vacuum (freeze, analyze) t');
  });
});
