import { beforeEach, expect, it } from 'vitest';
import { PreparedStatements } from '../../src/adapters/pglite/prepared.ts';

let now: number;
let prepared: PreparedStatements;

beforeEach(() => {
  now = 0;
  prepared = new PreparedStatements(() => now);
});

/** The kinds of the messages of one execution: P(arse), B(ind), D(escribe), E(xecute), C(lose), S(ync). */
function kindsOf(text: string): string {
  const bytes = Buffer.from(prepared.execution(text, []));
  let kinds = '';
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1))
    kinds += String.fromCharCode(bytes[at]!);
  return kinds;
}

it('parses a statement once', () => {
  expect([1, 2, 3, 4].map(() => kindsOf('select 1'))).toEqual(['PBDES', 'BDES', 'BDES', 'BDES']);
});

it('makes a new plan after a while, because the tables may have been empty before', () => {
  kindsOf('select 1');
  now = 9_999;
  expect(kindsOf('select 1')).toBe('BDES');
  now = 10_001;
  expect(kindsOf('select 1')).toBe('CPBDES');
  expect(kindsOf('select 1')).toBe('BDES');
});

it('parses a failed statement again, and all statements after tables changed', () => {
  for (const text of ['select 1', 'select 2']) kindsOf(text);
  prepared.failed('select 1');
  expect(kindsOf('select 2')).toBe('CBDES');
  expect(kindsOf('select 1')).toBe('PBDES');
  prepared.forget();
  expect(kindsOf('select 1')).toBe('CCPBDES');
});

it('closes statements that were not used for long', () => {
  let closed = 0;
  for (let n = 0; n < 300; n++) closed += kindsOf(`select ${n}`).startsWith('C') ? 1 : 0;
  expect(closed).toBe(100);
});
